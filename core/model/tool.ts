import type { Json, JsonObject } from './json.js';
import type { InterruptionCause } from './step.js';
import type { Run } from './run.js';

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

/** The grant under which a call runs. */
export interface CallApproval {
  readonly id: string;
  readonly decidedBy: string;
  readonly note: string | null;
}

/** What a tool is told about the call besides its input. */
export interface ToolCall {
  readonly runId: string;
  readonly stepId: string;
  /** The same for every attempt of this step, in every process (contract I10): an idempotency key. */
  readonly operationId: string;
  /** 1 for the first call, one more for each approved re-run. */
  readonly attempt: number;
  /** The agent's name. */
  readonly agent: string;
  /** Aborted when the call times out, the run is cancelled or its lease is lost. */
  readonly signal: AbortSignal;
  /** When the call times out. */
  readonly deadline: Date;
  /** The person's grant, if the call needed one. */
  readonly approval?: CallApproval;
}

/** What a reconciliation is told about the call whose outcome is not known. */
export interface InterruptedCall {
  readonly runId: string;
  readonly stepId: string;
  /** The key that the interrupted call carried; look the operation up by it. */
  readonly operationId: string;
  /** The attempt whose outcome is unknown. */
  readonly attempt: number;
  readonly agent: string;
  readonly approval?: CallApproval;
  readonly startedAt: Date;
  readonly interruptedAt: Date;
  readonly cause: InterruptionCause;
  /** A copy of the run as it stands. */
  readonly run: Run;
}

/** A tool's exact request: what is put to the policy, and what an approver decides on. */
export interface ToolRequest {
  readonly runId: string;
  readonly stepId: string;
  readonly tool: ToolSpec;
  /** The JSON of the validated arguments: exactly what will run (F14). */
  readonly args: Json;
}
