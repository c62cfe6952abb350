import type { Json, JsonObject } from './json.js';

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
