import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { approvalHash, type Approval } from '../../../core/model/approval.js';
import { fingerprintOf, signatureFault, signDecision, signerOf } from '../../../core/model/decision-signature.js';
import { anyJson } from './values.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const APPROVERS = new Map([[fingerprintOf(publicKey), publicKey]]);
const DECISIONS = { approved: 'approved', spent: 'approved', rejected: 'rejected', settled: 'settled' } as const;

/** A decided approval; what it says is drawn. */
const decided: fc.Arbitrary<Approval> = fc
  .record({
    status: fc.constantFrom(...(Object.keys(DECISIONS) as (keyof typeof DECISIONS)[])),
    id: fc.uuid(),
    by: fc.string({ unit: 'grapheme', minLength: 1 }),
    note: fc.option(fc.string({ unit: 'grapheme' })),
    result: anyJson,
    args: anyJson,
    decidedAt: fc.nat(),
    grantTtlMs: fc.option(fc.nat()),
  })
  .map(({ status, id, by, note, result, args, decidedAt, grantTtlMs }) => {
    const tool = { name: 'send', description: '', readOnly: false, effect: 'remote', timeoutMs: 1, terminal: false };
    const subject = {
      kind: 'unknown_outcome',
      capability: 'mail.send',
      presentation: { attempt: 1 },
      request: { runId: 'r', stepId: 's', tool: { ...tool, inputSchema: {} }, args },
    } as Pick<Approval, 'kind' | 'capability' | 'presentation' | 'request'>;
    const hash = approvalHash(subject);
    const entered = status === 'settled' ? result : null;
    const decision = {
      approval: id,
      hash,
      decision: DECISIONS[status],
      result: entered,
      by,
      note,
      decidedAt,
      grantTtlMs,
    };
    return {
      ...subject,
      ...{ id, hash, status, note, decidedAt, grantTtlMs, decidedBy: by, result: entered },
      ...{ seq: 1, runId: 'r', stepId: 's', requestedAt: 0, expiresAt: null, decodeError: null },
      ...signDecision(signerOf(privateKey), decision),
    };
  });

/** The approval with one field that is signed, or the hash covers, given another value. */
const CHANGES: Readonly<Record<string, (approval: Approval, other: string) => Partial<Approval>>> = {
  id: ({ id }, other) => ({ id: id + other }),
  hash: ({ hash }, other) => ({ hash: hash + other }),
  status: ({ status }) => ({ status: status === 'rejected' ? 'approved' : 'rejected' }),
  decidedBy: ({ decidedBy }, other) => ({ decidedBy: `${decidedBy ?? ''}${other}` }),
  note: ({ note }, other) => ({ note: note === null ? other : null }),
  result: ({ result }, other) => ({ result: [result, other] }),
  decidedAt: ({ decidedAt }, other) => ({ decidedAt: (decidedAt ?? 0) + other.length }),
  grantTtlMs: ({ grantTtlMs }, other) => ({ grantTtlMs: grantTtlMs === null ? other.length : null }),
  kind: ({ kind }, other) => ({ kind: kind + other }),
  capability: ({ capability }, other) => ({ capability: capability + other }),
  presentation: ({ presentation }, other) => ({ presentation: { ...presentation, other } }),
  request: ({ request }, other) => ({ request: { ...request, args: [request.args, other] } }),
  signature: ({ signature }) => ({
    signature: Buffer.from(signature ?? '', 'base64')
      .reverse()
      .toString('base64'),
  }),
};

describe('the signature of a decision', () => {
  it('A7: holds for what was signed, under the key that signed it', () => {
    fc.assert(fc.property(decided, (approval) => signatureFault(approval, APPROVERS) === null));
  });

  it('A7: breaks with any change of any field that it covers', () => {
    const other = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(decided, fc.constantFrom(...Object.keys(CHANGES)), other, (approval, field, value) => {
        const forged = { ...approval, ...CHANGES[field]?.(approval, value) };
        expect(signatureFault(forged, APPROVERS), field).to.equal('its signature does not fit what it says');
      }),
    );
  });

  it('A7: a grant that was used says the same as one that was not; nothing else does', () => {
    fc.assert(
      fc.property(decided, fc.constantFrom('approved', 'spent', 'rejected', 'settled'), (approval, status) => {
        const same = DECISIONS[status] === DECISIONS[approval.status as keyof typeof DECISIONS];
        expect(signatureFault({ ...approval, status }, APPROVERS) === null).to.equal(same);
      }),
    );
  });

  it('A7: of an undecided approval holds for nothing', () => {
    fc.assert(
      fc.property(decided, fc.constantFrom('pending', 'expired', 'cancelled'), (approval, status) => {
        expect(signatureFault({ ...approval, status }, APPROVERS)).to.equal('its signature does not fit what it says');
      }),
    );
  });

  it('A7: is one of nobody where its key is not among the approvers, or is not named', () => {
    const [approval] = fc.sample(decided, 1) as [Approval];
    const other = generateKeyPairSync('ed25519').publicKey;
    expect(signatureFault(approval, new Map([[fingerprintOf(other), other]]))).to.match(/not among the approvers/);
    expect(signatureFault({ ...approval, signer: null }, APPROVERS)).to.equal('it is not signed');
    expect(signatureFault({ ...approval, signature: null }, APPROVERS)).to.equal('it is not signed');
  });

  it('A7: is what another program signs over the same text', () => {
    // The key is the example of RFC 8410, section 10.3. `openssl pkeyutl -sign -rawin` over this text made the signature:
    // ["holdpoint decision 1",{"approval":"a","by":"ann","decidedAt":1,"decision":"approved","grantTtlMs":null,
    // "hash":"h","note":null,"result":null}]
    const der = 'MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC';
    const key = createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' });
    const said = { decision: 'approved', approval: 'a', hash: 'h', by: 'ann', note: null, result: null } as const;
    expect(signDecision(signerOf(key), { ...said, decidedAt: 1, grantTtlMs: null })).to.deep.equal({
      signature: 'j4+YFe5wLF0C0oorRHhzUWuxNZmYs8lS++qjrB7vvxbOm/krFJB9Rsbc1hROwXgnjoMlIzcKa24hiy4q1g2rDQ==',
      signer: 'a1e9156054e04fac899ae9f275132cdc07a5dbc4ea2c2ad3a1ffc6e0d253681f',
    });
  });
});
