import { parseArgs } from 'node:util';

export const ANSWERS = ['approve', 'settle', 'reject'] as const;

/** What a person can answer about a call whose outcome is not known. */
export type Answer = (typeof ANSWERS)[number];

/** What the command line asks for. */
export type Asked =
  | { readonly kind: 'play'; readonly answer: Answer | null }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const USAGE = `npm run demo [-- --answer approve|settle|reject]

A refund agent is killed in the middle of charging a card, for real; then you decide what becomes of the charge.

  --answer approve   run the interrupted call again
  --answer settle    it took effect: enter what the ledger says
  --answer reject    end the run here
  --help             show this

Without --answer you are asked; where there is no terminal to ask at, the answer is settle.
`;

export function isAnswer(text: string): text is Answer {
  return (ANSWERS as readonly string[]).includes(text);
}

export function parse(args: readonly string[]): Asked {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { answer: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    const { answer, help } = values;
    if (help) return { kind: 'help' };
    if (answer === undefined || isAnswer(answer)) return { kind: 'play', answer: answer ?? null };
    return { kind: 'wrong', message: `unknown answer ${JSON.stringify(answer)}: write ${ANSWERS.join(', ')}` };
  } catch (error) {
    return { kind: 'wrong', message: error instanceof Error ? error.message : String(error) };
  }
}
