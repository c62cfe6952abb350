import type { Json, JsonObject } from './json.js';

/** What a call may change: nothing, this machine, a system elsewhere, or something that cannot be undone. */
export type Effect = 'none' | 'local' | 'remote' | 'destructive';

/** One tool as an agent, a policy and an approver see it. Stored whole, once for each distinct one, by its hash. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly readOnly: boolean;
  /** `none` exactly if `readOnly`. */
  readonly effect: Effect;
  readonly timeoutMs: number;
  /** A success completes the run with the tool's result. */
  readonly terminal: boolean;
  /** JSON Schema (draft 2020-12) of the arguments; always of type object. */
  readonly inputSchema: JsonObject;
}

/** A tool's exact request: what is put to the policy, and what an approver decides on. */
export interface ToolRequest {
  readonly runId: string;
  readonly stepId: string;
  readonly tool: ToolSpec;
  /** The JSON of the validated arguments: exactly what will run (F14). */
  readonly args: Json;
}
