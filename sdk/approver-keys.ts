import { createPrivateKey, createPublicKey, generateKeyPairSync, KeyObject } from 'node:crypto';
import { InvalidArgumentError } from '../core/errors.js';
import {
  fingerprintOf as fingerprintOfKey,
  signerOf,
  type Approvers,
  type Signer,
} from '../core/model/decision-signature.js';

/** The keys of approvers (contract A7). What is refused is never quoted: it may be a private key in the wrong place. */

/** An Ed25519 key: its PEM text, or what `node:crypto` made of it. */
export type ApproverKey = string | KeyObject;

/** A pair of keys, as PEM texts. */
export interface ApproverKeyPair {
  /** PKCS#8, not encrypted. Only its owner may read it. */
  readonly privateKey: string;
  /** SPKI; for `approvers`. */
  readonly publicKey: string;
  /** SHA-256 of the public key's DER: what a decision's `signer` says. */
  readonly fingerprint: string;
}

/** Makes a pair of keys for somebody who decides. */
export function generateApproverKey(): ApproverKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint: fingerprintOfKey(publicKey),
  };
}

/** The fingerprint of a public key, as a decision's `signer` says it. @throws InvalidArgumentError */
export function fingerprintOf(publicKey: ApproverKey): string {
  return fingerprintOfKey(publicKeyOf(publicKey, 'publicKey'));
}

/** Whose decisions count; null if signatures are not asked for. */
export function approversOf(value: unknown): Approvers | null {
  if (value === undefined) return null;
  if (!Array.isArray(value) || value.length === 0) {
    throw new InvalidArgumentError(
      'approvers must be a list of at least one public key: with none, nobody could decide anything. ' +
        'Leave it out where decisions need no signature',
    );
  }
  const keys = value.map((key, at) => publicKeyOf(key, `approvers[${at}]`));
  return new Map(keys.map((key) => [fingerprintOfKey(key), key]));
}

/** Who signs a decision, if a key was given. @throws InvalidArgumentError if an approver's is asked for, and it is none */
export function deciderOf(key: unknown, approvers: Approvers | null): Signer | null {
  const signer = key === undefined ? null : signerOf(privateKeyOf(key));
  if (!approvers || (signer && approvers.has(signer.fingerprint))) return signer;
  const given = signer
    ? `the key given has the fingerprint ${signer.fingerprint}, which is none of them`
    : 'none was given';
  throw new InvalidArgumentError(
    `key must be the private key of one of the approvers, whose decisions alone count here; ${given}; nothing was decided`,
  );
}

function publicKeyOf(value: unknown, name: string): KeyObject {
  const key = typeof value === 'string' ? readPem(value, 'PUBLIC KEY', createPublicKey) : value;
  if (key instanceof KeyObject && key.type === 'public' && key.asymmetricKeyType === 'ed25519') return key;
  throw new InvalidArgumentError(
    `${name} must be an Ed25519 public key: its SPKI PEM text (BEGIN PUBLIC KEY), or a KeyObject`,
  );
}

function privateKeyOf(value: unknown): KeyObject {
  const key = typeof value === 'string' ? readPem(value, 'PRIVATE KEY', createPrivateKey) : value;
  if (key instanceof KeyObject && key.type === 'private' && key.asymmetricKeyType === 'ed25519') return key;
  throw new InvalidArgumentError(
    'key must be an Ed25519 private key: its PKCS#8 PEM text (BEGIN PRIVATE KEY, not encrypted), or a KeyObject; ' +
      'nothing was decided',
  );
}

/** Node would make a public key out of a private one, or of a certificate: the label must be the one asked for. */
function readPem(text: string, label: string, read: (pem: string) => KeyObject): KeyObject | null {
  const pem = text.trim();
  const labels = pem.match(/-----BEGIN [^-]*-----/g) ?? [];
  if (labels.length !== 1 || !pem.startsWith(`-----BEGIN ${label}-----`)) return null;
  try {
    return read(pem);
  } catch {
    return null;
  }
}
