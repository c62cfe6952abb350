/** The person who decides: what they are shown, what they can answer, and how they are asked. */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Approval, Json } from 'holdpoint';
import { ANSWERS, isAnswer, type Answer } from './args.js';
import { printable, type Screen } from './screen.js';

const MEANINGS: Readonly<Record<Answer, string>> = {
  approve: 'run the call again; if the first one took effect, the card is charged twice',
  settle: 'it took effect: enter its result; the call is not made again, and the run continues',
  reject: 'end the run here; the call is not made again',
};

/** The whole question: an answer is bound to exactly this by its hash. */
export function showQuestion(screen: Screen, { kind, presentation, request, hash }: Approval): void {
  const { tool, args } = request;
  screen.facts([
    ['kind', kind],
    ['what happened', shown(presentation.summary)],
    ['the call', `${tool.name} ${shown(args)}`],
    ['the tool', `${tool.description} (${tool.effect})`],
    ['operation', shown(presentation.operationId)],
    ['started', shown(presentation.startedAt)],
    ['interrupted', shown(presentation.interruptedAt)],
    ['policy now', shown(presentation.policy)],
    ['hash', hash],
  ]);
}

export function showAnswers(screen: Screen): void {
  screen.facts(ANSWERS.map((answer) => [answer, MEANINGS[answer]]));
}

/** Asks until the answer is one of the three; null at the end of input. */
export async function ask(input: Readable, output: Writable): Promise<Answer | null> {
  const lines = createInterface({ input, output, prompt: '\n  Your answer: ' });
  // At a terminal Ctrl-C arrives here, not as a signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  lines.prompt();
  try {
    for await (const line of lines) {
      const answer = line.trim().toLowerCase();
      if (isAnswer(answer)) return answer;
      output.write(`  "${printable(answer)}" is none of ${ANSWERS.join(', ')}.\n`);
      lines.prompt();
    }
    return null;
  } finally {
    // Or the terminal keeps the process alive.
    lines.close();
  }
}

function shown(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
