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
import { NOT_TEXT } from './table.js';

/**
 * From rows to the model. A field that does not decode does not hide its row (contract S9): the row is read with the
 * field empty and `decodeError` naming it, and nothing that would act on it may continue.
 *
 * A column holds whatever somebody wrote into it, bytes for a text or a text for a number. What a row is found by again,
 * an id, a place or a count, stays what it is; nothing else but text and numbers reaches the model.
 */

export function decodeRun(row: RunRow): Run {
  const fields = new Fields();
  return {
    id: fields.key('id', row.id),
    seq: row.seq,
    agent: fields.text('agent', row.agent),
    goal: fields.text('goal', row.goal),
    status: fields.oneOf<RunStatus>('status', row.status, RUN_STATUSES),
    reason: fields.nullableOneOf<TerminalReason>('reason', row.reason, TERMINAL_REASONS),
    message: fields.nullableText('message', row.message),
    result: fields.json('result', row.result),
    limits: fields.object('limits', row.limits) as unknown as Limits,
    stepCount: fields.count('step_count', row.stepCount),
    activeMs: fields.count('active_ms', row.activeMs),
    lease: leaseOf(fields, row),
    eventCount: fields.place('event_count', row.eventCount),
    headHash: fields.text('head_hash', row.headHash),
    createdAt: fields.time('created_at', row.createdAt),
    startedAt: fields.nullableTime('started_at', row.startedAt),
    updatedAt: fields.time('updated_at', row.updatedAt),
    finishedAt: fields.nullableTime('finished_at', row.finishedAt),
    decodeError: fields.error(),
  };
}

/** One of which nobody knows whose it is, or how long, is still a lease. */
function leaseOf(fields: Fields, { leaseOwner, leaseExpiresAt }: RunRow): Run['lease'] {
  const owner = leaseOwner === null ? null : fields.text('lease_owner', leaseOwner);
  const expiresAt = leaseExpiresAt === null ? null : fields.time('lease_expires_at', leaseExpiresAt);
  return owner === null || expiresAt === null ? null : { owner, expiresAt };
}

export function decodeStep(row: StepRow): Step {
  const fields = new Fields();
  return {
    id: fields.key('id', row.id),
    runId: fields.key('run_id', row.runId),
    index: fields.place('idx', row.index),
    status: fields.oneOf<StepStatus>('status', row.status, STEP_STATUSES),
    decision: fields.json('decision', row.decision),
    rawDecision: fields.jsonText('raw_decision', row.rawDecision),
    tool: fields.nullableText('tool', row.tool),
    args: fields.json('args', row.args),
    specHash: fields.nullableText('spec_hash', row.specHash),
    operationId: fields.text('operation_id', row.operationId),
    attempt: fields.count('attempt', row.attempt),
    policy: fields.nullableObject('policy', row.policy) as PolicyDecision | null,
    cause: fields.nullableOneOf<InterruptionCause>('cause', row.cause, INTERRUPTION_CAUSES),
    observation: fields.nullableObject('observation', row.observation) as Observation | null,
    startedAt: fields.time('started_at', row.startedAt),
    toolStartedAt: fields.nullableTime('tool_started_at', row.toolStartedAt),
    interruptedAt: fields.nullableTime('interrupted_at', row.interruptedAt),
    finishedAt: fields.nullableTime('finished_at', row.finishedAt),
    decodeError: fields.error(),
  };
}

export function decodeApproval(row: ApprovalRow): Approval {
  const fields = new Fields();
  return {
    id: fields.key('id', row.id),
    seq: row.seq,
    runId: fields.key('run_id', row.runId),
    stepId: fields.key('step_id', row.stepId),
    kind: fields.text('kind', row.kind),
    capability: fields.text('capability', row.capability),
    presentation: fields.object('presentation', row.presentation),
    request: fields.object('request', row.request) as unknown as ToolRequest,
    hash: fields.text('hash', row.hash),
    status: fields.oneOf<ApprovalStatus>('status', row.status, APPROVAL_STATUSES),
    requestedAt: fields.time('requested_at', row.requestedAt),
    expiresAt: fields.nullableTime('expires_at', row.expiresAt),
    grantTtlMs: fields.nullableTime('grant_ttl_ms', row.grantTtlMs),
    decidedAt: fields.nullableTime('decided_at', row.decidedAt),
    decidedBy: fields.nullableText('decided_by', row.decidedBy),
    note: fields.nullableText('note', row.note),
    result: fields.json('result', row.result),
    signature: fields.nullableText('signature', row.signature),
    signer: fields.nullableText('signer', row.signer),
    decodeError: fields.error(),
  };
}

export function decodeEvent(row: EventRow): RunEvent {
  const fields = new Fields();
  return {
    seq: row.seq,
    runId: fields.key('run_id', row.runId),
    index: fields.place('idx', row.index),
    type: fields.oneOf<EventType>('type', row.type, EVENT_TYPES),
    payload: fields.json('payload', row.payload),
    at: fields.time('created_at', row.at),
    hash: fields.text('hash', row.hash),
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
      if (typeof text === 'string') return JSON.parse(text) as Json;
    } catch {
      // Said below, as of what is no text.
    }
    return this.#fail(`${name} is not JSON`, null);
  }

  object(name: string, text: string): JsonObject {
    return this.nullableObject(name, text) ?? this.#fail(`${name} is not a JSON object`, {});
  }

  nullableObject(name: string, text: string | null): JsonObject | null {
    const value = this.json(name, text);
    if (value === null || isPlainObject(value)) return value;
    return this.#fail(`${name} is not a JSON object`, null);
  }

  jsonText(name: string, text: string | null): string | null {
    const value = this.json(name, text);
    return value === null || typeof value === 'string' ? value : this.#fail(`${name} is not a JSON string`, null);
  }

  text(name: string, value: string): string {
    return this.nullableText(name, value) ?? '';
  }

  nullableText(name: string, value: string | null): string | null {
    return value === null || typeof value === 'string' ? value : this.#fail(notText(name), null);
  }

  /** A text by which rows are found. */
  key(name: string, value: string): string {
    return typeof value === 'string' ? value : this.#fail(notText(name), value);
  }

  /** The word as it stands, even if this version does not know it. */
  oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
    if (typeof value !== 'string') return this.#fail(notText(name), NOT_TEXT as T);
    return (known as readonly string[]).includes(value) ? (value as T) : this.#fail(`${name} is unknown`, value as T);
  }

  nullableOneOf<T extends string>(name: string, value: string | null, known: readonly T[]): T | null {
    return value === null ? null : this.oneOf(name, value, known);
  }

  count(name: string, value: number): number {
    return isNumber(value) ? value : this.#fail(notNumber(name), 0);
  }

  /** A number by which rows are found. */
  place(name: string, value: number): number {
    return isNumber(value) ? value : this.#fail(notNumber(name), value);
  }

  /** It may be one that no date has. */
  time(name: string, value: number): number {
    return isNumber(value) ? value : this.#fail(notNumber(name), NaN);
  }

  nullableTime(name: string, value: number | null): number | null {
    return value === null || isNumber(value) ? value : this.#fail(notNumber(name), null);
  }

  #fail<T>(message: string, fallback: T): T {
    this.#error ??= message;
    return fallback;
  }
}

function notText(name: string): string {
  return `${name} is not text`;
}

function notNumber(name: string): string {
  return `${name} is not a number`;
}

/** Of a text that is no number, the driver's transformer makes NaN. */
function isNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(value);
}
