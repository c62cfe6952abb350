import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { approvalHash, type ApprovalSubject } from '../../../core/model/approval.js';
import { canonicalJson } from '../../../core/model/canonical-json.js';
import { eventHash, GENESIS_HASH, type StoredEvent } from '../../../core/model/event.js';
import { isPlainArray, isPlainObject } from '../../../core/model/json.js';
import { anyJson } from './values.js';

const SUBJECT: ApprovalSubject = {
  kind: 'tool_call',
  capability: 'payments.charge',
  presentation: { summary: 'charge 64.00', lines: [{ sku: 'a', amount: 1 }] },
  request: {
    runId: 'run-1',
    stepId: 'step-1',
    tool: {
      name: 'charge',
      description: 'charges the card',
      readOnly: false,
      effect: 'remote',
      timeoutMs: 1000,
      terminal: false,
      inputSchema: { type: 'object', properties: { order: { type: 'string' } } },
    },
    args: { order: 'A-1', cents: [6400, null, true] },
  },
};

const EVENT: StoredEvent = {
  runId: 'run-1',
  index: 3,
  type: 'step.decided',
  payload: '{"step":1}',
  at: 1_800_000_000_000,
};

const sha256Of = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex');

/** Every value that is the given one with one leaf of it changed, named by the way to that leaf. */
function* changed(value: unknown, path = ''): Generator<readonly [path: string, value: unknown]> {
  if (isPlainArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const [at, other] of changed(item, `${path}[${index}]`)) yield [at, value.with(index, other)];
    }
    yield [`${path}[…]`, [...value, null]];
  } else if (isPlainObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      for (const [at, other] of changed(member, `${path}.${key}`)) yield [at, { ...value, [key]: other }];
    }
  } else {
    yield [path, typeof value === 'string' ? `${value}x` : `not ${String(value)}`];
    yield [path, null === value ? false : null];
  }
}

describe('the hash of an approval', () => {
  it('A1: is SHA-256 over the canonical JSON of kind, capability, presentation and request', () => {
    const { kind, capability, presentation, request } = SUBJECT;
    expect(approvalHash(SUBJECT)).to.equal(sha256Of({ request, presentation, capability, kind }));
  });

  it('A1: changes with any single member of the four', () => {
    const hash = approvalHash(SUBJECT);
    const paths = [...changed(SUBJECT)].map(([path, subject]) => {
      expect(approvalHash(subject as ApprovalSubject), path).not.to.equal(hash);
      return path;
    });
    expect(paths).to.include.members([
      '.kind',
      '.capability',
      '.request.runId',
      '.request.stepId',
      '.request.tool.effect',
    ]);
  });

  it('A1: covers nothing else of an approval', () => {
    const decided = { ...SUBJECT, id: 'other', status: 'approved', decidedBy: 'ann', note: 'yes' };
    expect(approvalHash(decided)).to.equal(approvalHash(SUBJECT));
  });

  it('A1: differs where presentation or arguments differ, and nowhere else', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (one, other) => {
        const hashOf = (args: typeof one): string =>
          approvalHash({ ...SUBJECT, presentation: { args }, request: { ...SUBJECT.request, args } });
        expect(hashOf(one) === hashOf(other)).to.equal(canonicalJson(one) === canonicalJson(other));
      }),
    );
  });
});

describe('the hash of an event', () => {
  it('S11: is SHA-256 over the hash before it and its own fields as stored', () => {
    const { runId, index, type, at, payload } = EVENT;
    expect(eventHash(GENESIS_HASH, EVENT)).to.equal(sha256Of([GENESIS_HASH, runId, index, type, at, payload]));
  });

  it('S11: changes with any single field, and with the event before it', () => {
    const hash = eventHash(GENESIS_HASH, EVENT);
    for (const [path, event] of changed(EVENT)) {
      expect(eventHash(GENESIS_HASH, event as StoredEvent), path).not.to.equal(hash);
    }
    expect(eventHash(hash, EVENT)).not.to.equal(hash);
  });

  it('S11: covers the payload as stored: the same JSON written otherwise is another event', () => {
    expect(eventHash(GENESIS_HASH, { ...EVENT, payload: '{"step": 1}' })).not.to.equal(eventHash(GENESIS_HASH, EVENT));
  });

  it('S11: does not confuse one field with the next', () => {
    const moved = { ...EVENT, runId: 'run-', type: '1step.decided' };
    expect(eventHash(GENESIS_HASH, moved)).not.to.equal(eventHash(GENESIS_HASH, EVENT));
  });
});
