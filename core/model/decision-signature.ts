import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { approvalHash, type Approval } from './approval.js';
import { storedJson } from './canonical-json.js';
import type { Json } from './json.js';

/**
 * Signatures of decisions (contract A7): Ed25519 over the canonical JSON of what was decided, on which approval.
 *
 * An approval's hash has no secret in it, so whoever can write the file can decide in it. Without the key they cannot
 * sign, and a signature fits no other approval, decision, result, decider, note or time than its own.
 */

/** Whose decisions count: public keys by their fingerprints. */
export type Approvers = ReadonlyMap<string, KeyObject>;

/** A private key, and the fingerprint of its public one. */
export interface Signer {
  readonly key: KeyObject;
  readonly fingerprint: string;
}

/** All that a signature covers. Times are epoch milliseconds. */
export interface DecisionToSign {
  readonly approval: string;
  readonly hash: string;
  readonly decision: 'approved' | 'rejected' | 'settled';
  /** What the person entered when settling; null otherwise. */
  readonly result: Json;
  readonly by: string | null;
  readonly note: string | null;
  readonly decidedAt: number | null;
  /** How long a grant may wait for a resume: one that has lapsed is not revived. */
  readonly grantTtlMs: number | null;
}

/** What is stored beside a signed decision. */
export interface Signed {
  /** In base64. */
  readonly signature: string;
  /** The fingerprint of the key. */
  readonly signer: string;
}

const DECISIONS = { approved: 'approved', rejected: 'rejected', settled: 'settled', spent: 'approved' } as const;

/** SHA-256 of the key's DER (SPKI), as 64 lower-case hex digits. It is no secret. */
export function fingerprintOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** Who signs with this private key. */
export function signerOf(key: KeyObject): Signer {
  return { key, fingerprint: fingerprintOf(createPublicKey(key)) };
}

export function signDecision({ key, fingerprint }: Signer, decision: DecisionToSign): Signed {
  return { signature: sign(null, textOf(decision), key).toString('base64'), signer: fingerprint };
}

/** Why a stored decision does not count as one of an approver; null if it does. */
export function signatureFault(approval: Approval, approvers: Approvers): string | null {
  if (approval.signature === null || approval.signer === null) return 'it is not signed';
  const key = approvers.get(approval.signer);
  if (!key) return 'it is signed with a key that is not among the approvers';
  return fits(approval, approval.signature, key) ? null : 'its signature does not fit what it says';
}

function fits(approval: Approval, signature: string, key: KeyObject): boolean {
  const decision = storedDecision(approval);
  const bytes = Buffer.from(signature, 'base64');
  if (!decision || bytes.toString('base64') !== signature) return false;
  try {
    return approvalHash(approval) === approval.hash && verify(null, textOf(decision), key, bytes);
  } catch {
    return false; // A row that was written by hand may hold what has no canonical form.
  }
}

/** What was decided, as it is stored; null if nobody decided it. */
function storedDecision(approval: Approval): DecisionToSign | null {
  const { id, hash, status, result, decidedBy, note, decidedAt, grantTtlMs } = approval;
  if (!Object.hasOwn(DECISIONS, status)) return null;
  const decision = DECISIONS[status as keyof typeof DECISIONS];
  return { approval: id, hash, decision, result, by: decidedBy, note, decidedAt, grantTtlMs };
}

/** The first member says what the bytes are, so that no other use of the key signs them by accident. */
function textOf(decision: DecisionToSign): Buffer {
  return Buffer.from(storedJson(['holdpoint decision 1', decision], 'decision'), 'utf8');
}
