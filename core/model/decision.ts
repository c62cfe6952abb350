import { InvalidJsonError } from '../errors.js';
import { canonicalJson } from './canonical-json.js';
import { isPlainObject, type Json, type JsonObject } from './json.js';
import type { Problem } from './step.js';
import { isInstance } from './text.js';

/** Ask for one tool call. */
export interface ToolDecision {
  readonly kind: 'tool';
  readonly tool: string;
  /** The arguments, or the JSON text of them as a model wrote it (then duplicate keys are refused too). */
  readonly args: JsonObject | string;
  readonly reason?: string;
}

/** The goal is reached. */
export interface CompleteDecision {
  readonly kind: 'complete';
  readonly result?: Json;
}

/** The goal cannot be reached. */
export interface FailDecision {
  readonly kind: 'fail';
  readonly message: string;
}

/** What an agent answers when asked what to do next. */
export type Decision = ToolDecision | CompleteDecision | FailDecision;

/** What an agent answered, as it is recorded, and what it means. */
export interface ReadDecision {
  /** Verbatim; null if the answer is not JSON. */
  readonly decision: Json;
  /** The text that could not be parsed, byte for byte (contract S7). */
  readonly raw: string | null;
  /** The decision, or what is wrong with it. */
  readonly meaning:
    Decision | { readonly kind: 'invalid'; readonly message: string; readonly problems: readonly Problem[] };
}

const MEMBERS: Readonly<Record<Decision['kind'], readonly string[]>> = {
  tool: ['kind', 'tool', 'args', 'reason'],
  complete: ['kind', 'result'],
  fail: ['kind', 'message'],
};

/** Reads whatever an agent answered. Nothing is thrown: what is wrong with it is for the agent to see. */
export function readDecision(answer: unknown): ReadDecision {
  if (typeof answer === 'string') {
    return {
      decision: null,
      raw: answer,
      meaning: invalid('decision', 'it is text; answer callTool(…), complete(…) or fail(…)'),
    };
  }
  let raw: string | null = null;
  try {
    raw = unparsedArguments(answer);
    const verbatim = raw === null ? answer : withoutArguments(answer as object);
    const decision = JSON.parse(canonicalJson(verbatim ?? null, 'decision')) as Json;
    const unparsed = raw === null ? null : invalid('args', 'the text is not JSON');
    return { decision, raw, meaning: unparsed ?? meaningOf(decision) };
  } catch (error) {
    const { path, found } = isInstance(error, InvalidJsonError)
      ? error
      : { path: 'decision', found: 'it cannot be read' };
    return { decision: null, raw, meaning: invalid(path, found) };
  }
}

function unparsedArguments(answer: unknown): string | null {
  const args: unknown = isPlainObject(answer) ? Object.getOwnPropertyDescriptor(answer, 'args')?.value : null;
  if (typeof args !== 'string') return null;
  try {
    JSON.parse(args);
    canonicalJson(args);
    return null;
  } catch {
    return args;
  }
}

/** The answer as it stands, its accessors included: those are refused, not read. */
function withoutArguments(answer: object): object {
  const others: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(answer);
  delete others.args;
  return Object.defineProperties({}, others);
}

function meaningOf(decision: Json): ReadDecision['meaning'] {
  if (!isPlainObject(decision)) return invalid('decision', 'answer callTool(…), complete(…) or fail(…)');
  const kind = decision.kind;
  if (kind !== 'tool' && kind !== 'complete' && kind !== 'fail') {
    return invalid('decision.kind', `it must be 'tool', 'complete' or 'fail'`);
  }
  const strange = Object.keys(decision).find((key) => !MEMBERS[kind].includes(key));
  if (strange !== undefined) return invalid(`decision.${strange}`, `a decision of kind '${kind}' has no such member`);
  const wrong = wrongMember(kind, decision);
  return wrong ?? (decision as unknown as Decision);
}

function wrongMember(kind: Decision['kind'], decision: Record<string, unknown>): ReadDecision['meaning'] | null {
  const { tool, args, reason, message } = decision;
  if (kind === 'fail') return typeof message === 'string' ? null : invalid('decision.message', 'it must be a string');
  if (kind === 'complete') return null;
  if (typeof tool !== 'string') return invalid('decision.tool', 'it must be the name of a tool');
  if (typeof args !== 'string' && !isPlainObject(args)) return invalid('args', 'they must be a JSON object');
  return reason === undefined || typeof reason === 'string' ? null : invalid('decision.reason', 'it must be a string');
}

function invalid(path: string, message: string): ReadDecision['meaning'] {
  return { kind: 'invalid', message: `the decision is not valid: ${path}: ${message}`, problems: [{ path, message }] };
}
