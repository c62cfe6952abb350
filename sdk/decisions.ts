import { toolNameOf } from '../core/definition/tools.js';
import type { CompleteDecision, FailDecision, ToolDecision } from '../core/model/decision.js';
import type { Json, JsonObject } from '../core/model/json.js';

/** The plain JSON that an input class is made from: its data, without its methods; a `Date` as its ISO text. */
export type PlainArguments<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? PlainArguments<Item>[]
    : T extends object
      ? { [Key in keyof T as T[Key] extends (...args: never[]) => unknown ? never : Key]: PlainArguments<T[Key]> }
      : T;

/** A class that is one tool. */
export type ToolClass<Input> = abstract new (...args: never[]) => { execute(input: Input, call: never): unknown };

/**
 * Asks for one tool call.
 *
 * @param tool the tool's class, or its name
 * @param args its arguments as plain JSON, or the JSON text of them as a model wrote it
 * @param reason why, for the policy, the approver and the record
 * @throws DefinitionError if the class does not declare exactly one tool; name the tool then
 */
export function callTool<Input extends object>(
  tool: ToolClass<Input>,
  args: PlainArguments<Input> | string,
  reason?: string,
): ToolDecision;
export function callTool(tool: string, args: JsonObject | string, reason?: string): ToolDecision;
export function callTool(tool: string | ToolClass<object>, args: unknown, reason?: string): ToolDecision {
  return {
    kind: 'tool',
    tool: typeof tool === 'string' ? tool : toolNameOf(tool),
    args: args as JsonObject | string,
    ...(reason === undefined ? {} : { reason }),
  };
}

/**
 * The goal is reached: the run completes with this result.
 *
 * @param result plain JSON; what JSON cannot hold is refused when the decision is read (contract S8)
 */
export function complete(result?: Json | object): CompleteDecision {
  return { kind: 'complete', ...(result === undefined ? {} : { result: result as Json }) };
}

/** The goal cannot be reached: the run fails as `goal_failed`. */
export function fail(message: string): FailDecision {
  return { kind: 'fail', message };
}
