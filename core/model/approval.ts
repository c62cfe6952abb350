import type { Json, JsonObject } from './json.js';
import type { ToolRequest } from './tool.js';
import { storedJson } from './canonical-json.js';
import { sha256 } from './hash.js';

/** `spent` is a grant that was used, or that a newer request replaced; `cancelled` one whose run ended around it. */
export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'settled' | 'expired' | 'spent' | 'cancelled';

export const APPROVAL_MOVES = {
  pending: ['approved', 'rejected', 'settled', 'expired', 'cancelled'],
  approved: ['spent', 'expired', 'cancelled'],
  rejected: [],
  settled: [],
  expired: [],
  spent: [],
  cancelled: [],
} as const satisfies Record<ApprovalStatus, readonly ApprovalStatus[]>;

export const APPROVAL_STATUSES = Object.keys(APPROVAL_MOVES) as ApprovalStatus[];

/** The kinds that only the runtime asks for; only these can be settled. */
export const UNKNOWN_OUTCOME_KINDS = ['interrupted_side_effect', 'unknown_outcome'] as const;

/** The four things that an approval's hash covers (contract A1). */
export interface ApprovalSubject {
  readonly kind: string;
  readonly capability: string;
  readonly presentation: JsonObject;
  readonly request: ToolRequest;
}

/** A person's decision on one exact request. Times are epoch milliseconds. */
export interface Approval extends ApprovalSubject {
  readonly id: string;
  /** Place in the order of insertion; also the cursor of a list. */
  readonly seq: number;
  readonly runId: string;
  readonly stepId: string;
  /** SHA-256 over the canonical JSON of kind, capability, presentation and request. A decision carries it. */
  readonly hash: string;
  readonly status: ApprovalStatus;
  readonly requestedAt: number;
  /** When it expires if nobody has decided; null never. */
  readonly expiresAt: number | null;
  /** Milliseconds after which a grant that no resume has used expires; null never. */
  readonly grantTtlMs: number | null;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly note: string | null;
  /** What the person entered when settling. */
  readonly result: Json;
  /** Ed25519 over the decision, in base64 (contract A7); null if it was made without a key. */
  readonly signature: string | null;
  /** The fingerprint of the key that it was signed with. */
  readonly signer: string | null;
  readonly decodeError: string | null;
}

/** The hash that a decision is bound to (contract A1, A2). */
export function approvalHash({ kind, capability, presentation, request }: ApprovalSubject): string {
  return sha256(storedJson({ kind, capability, presentation, request }));
}

/**
 * The text whose SHA-256 is that hash, from a row as it is stored; null if it holds what is no text.
 *
 * Stored JSON is canonical, so nothing is parsed: one byte more or less is another text.
 */
export function subjectText(row: Readonly<Record<string, unknown>>): string | null {
  const { kind, capability, presentation, request } = row;
  if (typeof presentation !== 'string' || typeof request !== 'string') return null;
  const names = `"capability":${JSON.stringify(capability)},"kind":${JSON.stringify(kind)}`;
  return `{${names},"presentation":${presentation},"request":${request}}`;
}

/** Whether the call's outcome is what is asked about, so that a person may settle it. */
export function asksForOutcome(kind: string): boolean {
  return (UNKNOWN_OUTCOME_KINDS as readonly string[]).includes(kind);
}

/** When an open approval expires: a question if nobody decides, a grant if no resume uses it (contract A5). */
export function expiresAt({ status, expiresAt: unanswered, decidedAt, grantTtlMs }: Approval): number | null {
  if (status === 'pending') return unanswered;
  if (status !== 'approved' || decidedAt === null || grantTtlMs === null) return null;
  return decidedAt + grantTtlMs;
}

export function isExpired(approval: Approval, at: number): boolean {
  const end = expiresAt(approval);
  return end !== null && end <= at;
}
