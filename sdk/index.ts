/**
 * Holdpoint: agents that take real actions, and survive the death of their process without repeating one.
 *
 * Declare tools and agents as classes (`Tool`, `Reconcile`, `Agent`), open a `Runtime` over a store, start and resume
 * runs; a `Client` on the same store shows what waits and records what a person decides.
 */

export { Agent, type AgentOptions } from '../decorators/agent.js';
export { Reconcile } from '../decorators/reconcile.js';
export { Tool, type ToolOptions } from '../decorators/tool.js';

export { callTool, complete, fail, type PlainArguments, type ToolClass } from './decisions.js';
export { Runtime } from './runtime.js';
export type { LeaseOptions, RuntimeOptions } from './runtime-options.js';
export { fingerprintOf, generateApproverKey, type ApproverKey, type ApproverKeyPair } from './approver-keys.js';
export {
  Client,
  type ApprovalsClient,
  type CancelOptions,
  type ClientOptions,
  type DecisionOptions,
  type ListApprovalsOptions,
  type ListRunsOptions,
  type PageOptions,
  type ReadOptions,
  type RunsClient,
  type StartOptions,
  type VerifyOptions,
  type WaitOptions,
} from './client.js';
export { verifyExport, type VerifyExportOptions } from './verify-export.js';

export { abort, allow, defaultPolicy, deny, requireApproval } from '../core/model/policy.js';
export type { ApprovalRequest, Policy, PolicyDecision, PolicyRequest } from '../core/model/policy.js';
export { Reconciliation, type WaitRequest } from '../core/model/reconciliation.js';
export { DEFAULT_LIMITS, type Limits } from '../core/model/limits.js';

export type { StepInput } from '../core/model/agent.js';
export type { Approval, ApprovalStatus } from '../core/model/approval.js';
export type { Bounded } from '../core/model/bounded.js';
export type { CompleteDecision, Decision, FailDecision, ToolDecision } from '../core/model/decision.js';
export type { EventType, RunEvent } from '../core/model/event.js';
export type { Json, JsonObject } from '../core/model/json.js';
export type { Lease, Run, RunStatus, TerminalReason } from '../core/model/run.js';
export type { Observation, Problem, Step, StepStatus } from '../core/model/step.js';
export type { CallApproval, InterruptedCall, ToolCall } from '../core/model/call.js';
export type { InterruptionCause } from '../core/model/interruption.js';
export type { Effect, ToolRequest, ToolSpec } from '../core/model/tool.js';
export type { Verification } from '../core/engine/verify.js';
export type { ChainFault } from '../core/model/replay/fault.js';
export type { Observer } from '../core/engine/engine.js';
export type { Provide } from '../core/engine/instances.js';
export type { Clock } from '../core/clock.js';
export type { Class } from '../core/definition/definition.js';
export type { Ids } from '../core/ids.js';
export type { StoreLocation } from '../core/store/location.js';

export {
  AbortRunError,
  ApprovalChangedError,
  ApprovalExpiredError,
  ClosedError,
  DecisionNotSignedError,
  DefinitionError,
  HoldpointError,
  InsecureStoreError,
  InvalidArgumentError,
  InvalidJsonError,
  LeaseLostError,
  NotFoundError,
  NotPendingError,
  OutcomeUnknownError,
  RunExistsError,
  RunLeasedError,
  RunStateError,
  SchemaVersionError,
  StoreError,
  UndecodableError,
  UnsafeSchemaError,
} from '../core/errors.js';
