import type { Effect, Json } from 'holdpoint';

/**
 * What can be said in a test of the step machine: by the agent, the policy, a tool and a reconciliation.
 *
 * Both sides read these tables: the real one says what is in them, the model knows what it means.
 */

/** What a tool of the tests is declared as. */
export interface Trait {
  readonly effect: Effect;
  /** Its success completes the run. */
  readonly terminal?: true;
  /** It has a reconciliation of its own. */
  readonly reconciles?: true;
  /** It never answers within its timeout, and no reconciliation of its calls does. */
  readonly stuck?: true;
}

export const TOOLS = {
  look: { effect: 'none' },
  report: { effect: 'none', terminal: true },
  stare: { effect: 'none', stuck: true },
  charge: { effect: 'remote', reconciles: true },
  send: { effect: 'remote' },
  settle_up: { effect: 'remote', terminal: true, reconciles: true },
  note: { effect: 'local' },
  wipe: { effect: 'destructive', terminal: true },
  wait_long: { effect: 'remote', stuck: true },
} as const satisfies Record<string, Trait>;

export type ToolName = keyof typeof TOOLS;

export function traitOf(tool: ToolName): Trait {
  return TOOLS[tool];
}

export function isReadOnly(tool: ToolName): boolean {
  return traitOf(tool).effect === 'none';
}

/** Revisions of the program that a process runs. */
export const REVISIONS = ['same', 'without', 'strict', 'reworded'] as const;

export type Revision = (typeof REVISIONS)[number];

/** What the revision `without` no longer has. */
const REMOVED: readonly ToolName[] = ['look', 'charge', 'send'];

/** The largest `x` that the revision `strict` still accepts. */
export const STRICT_MAX = 1;

export function hasTool(revision: Revision, tool: ToolName): boolean {
  return revision !== 'without' || !REMOVED.includes(tool);
}

export function acceptsX(revision: Revision, x: number): boolean {
  return revision !== 'strict' || x <= STRICT_MAX;
}

/** Revisions that declare a tool alike have the same spec of it. */
export function specOf(revision: Revision): string {
  return revision === 'without' ? 'same' : revision;
}

/** An agent's valid request. */
export interface Call {
  readonly tool: ToolName;
  readonly x: number;
  /** Its arguments as an object, or as the text of one. */
  readonly as: 'object' | 'text';
}

/** What an agent answers: a call, one of the answers below, or it throws. */
export type Choice = Call | keyof typeof ANSWERS | 'throw';

/** An answer, and how it is recorded if not verbatim (S7). */
interface Answer {
  readonly says: unknown;
  readonly decision?: Json;
  readonly raw?: string;
}

/** The result that an agent completes its run with. */
export const COMPLETED: Json = { n: 9 };

export const ANSWERS = {
  complete: { says: { kind: 'complete', result: COMPLETED } },
  fail: { says: { kind: 'fail', message: 'out of reach' } },
  'wrong type': { says: { kind: 'tool', tool: 'charge', args: { x: 'one' } } },
  'strange argument': { says: { kind: 'tool', tool: 'charge', args: { x: 1, y: 1 } } },
  'repeated argument': { says: { kind: 'tool', tool: 'note', args: '{"x":1,"x":2}' } },
  'unknown tool': { says: { kind: 'tool', tool: 'teleport', args: { x: 1 } } },
  'broken text': {
    says: { kind: 'tool', tool: 'charge', args: '{"x":' },
    decision: { kind: 'tool', tool: 'charge' },
    raw: '{"x":',
  },
  prose: { says: 'charge the card', decision: null, raw: 'charge the card' },
  'unknown kind': { says: { kind: 'dance' } },
  nothing: { says: undefined, decision: null },
  'not JSON': { says: { kind: 'complete', result: NaN }, decision: null },
} as const satisfies Record<string, Answer>;

export const INVALID = (Object.keys(ANSWERS) as (keyof typeof ANSWERS)[]).filter(
  (name) => name !== 'complete' && name !== 'fail',
);

/** Whether an answer asks for a tool that the program has, with arguments that can be checked. */
export function namesTool(revision: Revision, choice: Choice): boolean {
  if (choice === 'throw') return false;
  if (typeof choice === 'object') return hasTool(revision, choice.tool);
  const { says, raw }: Answer = ANSWERS[choice];
  const tool = raw === undefined && typeof says === 'object' && says !== null && 'tool' in says ? says.tool : null;
  return typeof tool === 'string' && tool in TOOLS && hasTool(revision, tool as ToolName);
}

/** What is recorded of an answer: verbatim, or the part that is JSON and the text that is not. */
export function recordOf(choice: Exclude<Choice, 'throw'>): { readonly decision: Json; readonly raw: string | null } {
  if (typeof choice === 'object') return { decision: callDecision(choice), raw: null };
  const answer: Answer = ANSWERS[choice];
  return { decision: answer.decision === undefined ? (answer.says as Json) : answer.decision, raw: answer.raw ?? null };
}

export function callDecision({ tool, x, as }: Call): Json {
  return { kind: 'tool', tool, args: as === 'text' ? JSON.stringify({ x }) : { x } };
}

/** What a policy answers; the last three are no answers. `default` is what the default policy says. */
export const VERDICTS = [
  'allow',
  'deny',
  'ask',
  'ask otherwise',
  'abort',
  'default',
  'throw',
  'maybe',
  'reserved',
] as const;

export type Verdict = (typeof VERDICTS)[number];

/** What the policy wants shown when it asks otherwise. */
export const WHY = { why: 'once more' };

/** A verdict that is one of the policy's four answers. */
export type Ruling = 'allow' | 'deny' | 'ask' | 'ask otherwise' | 'abort';

/** What a verdict comes to (P1, P2); null if it is not an answer. */
export function rulingOn(verdict: Verdict, tool: ToolName): Ruling | null {
  switch (verdict) {
    case 'throw':
    case 'maybe':
    case 'reserved':
      return null;
    case 'default': {
      const { effect } = traitOf(tool);
      if (effect === 'none' || effect === 'local') return 'allow';
      return effect === 'remote' ? 'ask' : 'deny';
    }
    default:
      return verdict;
  }
}

/** What a tool's call comes to. */
export const OUTCOMES = ['one', 'two', 'nothing', 'unencodable', 'error', 'text thrown', 'unknown', 'abort'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** The results of the outcomes that have one. */
export const RESULTS: Readonly<Partial<Record<Outcome, Json>>> = { one: { n: 1 }, two: { n: 2 }, nothing: null };

/** What a reconciliation answers; the last two are no answers. */
export const FINDINGS = ['continue', 'complete', 'conflict', 'wait', 'throw', 'perhaps'] as const;

export type Finding = (typeof FINDINGS)[number];

/** What a reconciliation finds, and a person enters when settling: equal to what a tool returns. */
export const FOUND: Json = { n: 1 };

/** What a reconciliation wants shown when a person is to decide. */
export const RECEIPT = 'an unreadable receipt';
