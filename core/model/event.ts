import type { Json, JsonObject } from './json.js';
import { storedJson } from './canonical-json.js';
import { sha256 } from './hash.js';

export const EVENT_TYPES = [
  'run.created',
  'run.started',
  'run.resumed',
  'run.finished',
  'step.started',
  'step.decided',
  'step.policy',
  'step.tool_started',
  'step.tool_finished',
  'step.failed',
  'step.interrupted',
  'step.reconciled',
  'approval.requested',
  'approval.decided',
  'lease.taken_over',
  'limit.exceeded',
  'loop.detected',
  'model.dispatched',
  'model.completed',
  'model.failed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** What a move wants recorded; its place, time and hash are given when it is committed. */
export interface EventDraft {
  readonly type: EventType;
  readonly payload: JsonObject;
}

/** One row of the audit log. */
export interface RunEvent {
  /** Place in the order of insertion over all runs. */
  readonly seq: number;
  readonly runId: string;
  /** Place in the run; 1 for its first. */
  readonly index: number;
  readonly type: EventType;
  readonly payload: Json;
  /** Epoch milliseconds. */
  readonly at: number;
  /** SHA-256 over the event before it and its own fields (contract S11). */
  readonly hash: string;
  readonly decodeError: string | null;
}

/** The fields of an event as stored: what its hash covers. */
export interface StoredEvent {
  readonly runId: string;
  readonly index: number;
  readonly type: string;
  readonly payload: string;
  readonly at: number;
}

/** What the first event of a run follows. */
export const GENESIS_HASH = '0'.repeat(64);

/** The hash of an event that follows the one whose hash is `previous`. */
export function eventHash(previous: string, { runId, index, type, payload, at }: StoredEvent): string {
  return sha256(storedJson([previous, runId, index, type, at, payload]));
}
