import { APPROVAL_STATUSES, type Approval, type ApprovalStatus } from '../model/approval.js';
import { EVENT_TYPES, type EventType, type RunEvent } from '../model/event.js';
import { INTERRUPTION_CAUSES, type InterruptionCause } from '../model/interruption.js';
import { isPlainObject, type Json, type JsonObject } from '../model/json.js';
import type { Limits } from '../model/limits.js';
import type { PolicyDecision } from '../model/policy.js';
import { RUN_STATUSES, TERMINAL_REASONS, type Run, type RunStatus, type TerminalReason } from '../model/run.js';
import { STEP_STATUSES, type Observation, type Step, type StepStatus } from '../model/step.js';
import type { ToolRequest, ToolSpec } from '../model/tool.js';
import type { ApprovalRow, EventRow, RunRow, StepRow } from './entities/index.js';

/**
 * From rows to the model. A field that does not decode does not hide its row (contract S9): the row is read with the
 * field empty and `decodeError` naming it, and nothing that would act on it may continue.
 */

export function decodeRun(row: RunRow): Run {
  const fields = new Fields();
  return {
    id: row.id,
    seq: row.seq,
    agent: row.agent,
    goal: row.goal,
    status: fields.oneOf<RunStatus>('status', row.status, RUN_STATUSES),
    reason: row.reason === null ? null : fields.oneOf<TerminalReason>('reason', row.reason, TERMINAL_REASONS),
    message: row.message,
    result: fields.json('result', row.result),
    limits: fields.object('limits', row.limits) as unknown as Limits,
    stepCount: row.stepCount,
    activeMs: row.activeMs,
    lease:
      row.leaseOwner === null || row.leaseExpiresAt === null
        ? null
        : { owner: row.leaseOwner, expiresAt: row.leaseExpiresAt },
    eventCount: row.eventCount,
    headHash: row.headHash,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    updatedAt: row.updatedAt,
    finishedAt: row.finishedAt,
    decodeError: fields.error(),
  };
}

export function decodeStep(row: StepRow): Step {
  const fields = new Fields();
  return {
    id: row.id,
    runId: row.runId,
    index: row.index,
    status: fields.oneOf<StepStatus>('status', row.status, STEP_STATUSES),
    decision: fields.json('decision', row.decision),
    rawDecision: fields.text('raw_decision', row.rawDecision),
    tool: row.tool,
    args: fields.json('args', row.args),
    specHash: row.specHash,
    operationId: row.operationId,
    attempt: row.attempt,
    policy: fields.nullableObject('policy', row.policy) as PolicyDecision | null,
    cause: row.cause === null ? null : fields.oneOf<InterruptionCause>('cause', row.cause, INTERRUPTION_CAUSES),
    observation: fields.nullableObject('observation', row.observation) as Observation | null,
    startedAt: row.startedAt,
    toolStartedAt: row.toolStartedAt,
    interruptedAt: row.interruptedAt,
    finishedAt: row.finishedAt,
    decodeError: fields.error(),
  };
}

export function decodeApproval(row: ApprovalRow): Approval {
  const fields = new Fields();
  return {
    id: row.id,
    seq: row.seq,
    runId: row.runId,
    stepId: row.stepId,
    kind: row.kind,
    capability: row.capability,
    presentation: fields.object('presentation', row.presentation),
    request: fields.object('request', row.request) as unknown as ToolRequest,
    hash: row.hash,
    status: fields.oneOf<ApprovalStatus>('status', row.status, APPROVAL_STATUSES),
    requestedAt: row.requestedAt,
    expiresAt: row.expiresAt,
    grantTtlMs: row.grantTtlMs,
    decidedAt: row.decidedAt,
    decidedBy: row.decidedBy,
    note: row.note,
    result: fields.json('result', row.result),
    signature: row.signature,
    signer: row.signer,
    decodeError: fields.error(),
  };
}

export function decodeEvent(row: EventRow): RunEvent {
  const fields = new Fields();
  return {
    seq: row.seq,
    runId: row.runId,
    index: row.index,
    type: fields.oneOf<EventType>('type', row.type, EVENT_TYPES),
    payload: fields.json('payload', row.payload),
    at: row.at,
    hash: row.hash,
    decodeError: fields.error(),
  };
}

/** A stored tool spec; null if it does not decode. */
export function decodeSpec(text: string): ToolSpec | null {
  const fields = new Fields();
  const spec = fields.object('spec', text);
  return fields.error() === null ? (spec as unknown as ToolSpec) : null;
}

/** Reads the fields of one row, and remembers the first that does not decode. Its content stays out of the message. */
class Fields {
  #error: string | null = null;

  error(): string | null {
    return this.#error;
  }

  json(name: string, text: string | null): Json {
    if (text === null) return null;
    try {
      return JSON.parse(text) as Json;
    } catch {
      return this.#fail(`${name} is not JSON`, null);
    }
  }

  object(name: string, text: string): JsonObject {
    return this.nullableObject(name, text) ?? this.#fail(`${name} is not a JSON object`, {});
  }

  nullableObject(name: string, text: string | null): JsonObject | null {
    const value = this.json(name, text);
    if (value === null || isPlainObject(value)) return value;
    return this.#fail(`${name} is not a JSON object`, null);
  }

  text(name: string, text: string | null): string | null {
    const value = this.json(name, text);
    return value === null || typeof value === 'string' ? value : this.#fail(`${name} is not a JSON string`, null);
  }

  /** The value as it stands, even if this version does not know it. */
  oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
    return (known as readonly string[]).includes(value) ? (value as T) : this.#fail(`${name} is unknown`, value as T);
  }

  #fail<T>(message: string, fallback: T): T {
    this.#error ??= message;
    return fallback;
  }
}
