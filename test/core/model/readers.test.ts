import assert from 'node:assert/strict';
import { expect } from 'chai';
import fc from 'fast-check';
import { callTool, complete, fail } from 'holdpoint';
import { storedJson } from '../../../core/model/canonical-json.js';
import { readDecision, type Decision } from '../../../core/model/decision.js';
import {
  abort,
  allow,
  deny,
  readPolicyDecision,
  requireApproval,
  type ReadPolicy,
} from '../../../core/model/policy.js';
import { readReconciliation, Reconciliation, type ReadReconciliation } from '../../../core/model/reconciliation.js';
import { describeThrown } from '../../../core/model/text.js';
import { anyJson, anyText, anything, anythingStrange, asJson, strange, throwing, unreadable } from './values.js';

const text = fc.string({ unit: 'binary' });
const anyObject = fc.dictionary(
  text.filter((key) => key !== '__proto__'),
  anyJson,
);

/** An object that says one thing to who reads its members, and has another in them. */
function twoFaced(members: object, said: object): object {
  return new Proxy(members, { get: (_, key) => Reflect.get(said, key) as unknown });
}

/** What looks like an answer, and may have anything in each of its members. */
const almost = fc.record(
  {
    kind: fc.constantFrom(
      'tool',
      'complete',
      'fail',
      'allow',
      'deny',
      'require_approval',
      'abort',
      'continue',
      'wait',
      'conflict',
    ),
    tool: fc.oneof(fc.string(), anything),
    args: fc.oneof(fc.string(), anyText, anything),
    reason: fc.oneof(anyText, anything),
    result: anything,
    message: fc.oneof(anyText, anything),
    detail: fc.oneof(anyText, anything),
    approval: fc.oneof(anything, fc.record({ kind: anything, capability: anything, presentation: anything })),
  },
  { requiredKeys: ['kind'] },
);

/** Everything that a user's code could answer: of it, nothing may make a reader throw. */
function assertNeverThrows(read: (answer: unknown) => unknown): void {
  fc.assert(
    fc.property(fc.oneof(anythingStrange, almost), (given) => {
      const answers = 'beside' in given ? [given.value, ...strange(given)] : [given];
      for (const answer of answers) storedJson(asJson(read(answer)));
    }),
    { numRuns: 2000 },
  );
  for (const answer of [throwing('kind'), throwing('args'), throwing('approval'), unreadable(), Symbol('s')]) {
    storedJson(asJson(read(answer)));
  }
}

/** What a reader makes of a decision, without the raw text: that is stored in a form of its own. */
function recorded(answer: unknown): unknown {
  const { raw: _raw, ...read } = readDecision(answer);
  return read;
}

describe('a decision', () => {
  it('S7: is read without throwing, whatever an agent answers, and what is read can be recorded', () => {
    assertNeverThrows(recorded);
  });

  it('S7: that is valid is recorded as it was made', () => {
    const valid: fc.Arbitrary<Decision> = fc.oneof(
      fc
        .tuple(text, anyObject, fc.option(text, { nil: undefined }))
        .map(([tool, args, why]) => callTool(tool, args, why)),
      fc.option(anyJson, { nil: undefined }).map(complete),
      text.map(fail),
    );
    fc.assert(
      fc.property(valid, (decision) => {
        const read = readDecision(decision);
        assert.deepStrictEqual(read, { decision: asJson(decision), raw: null, meaning: asJson(decision) });
      }),
    );
  });

  it('S7: with arguments as JSON text keeps that text', () => {
    const decision = callTool('send', '{"text": "a", "text": "b"}');
    expect(readDecision(decision)).to.deep.equal({ decision, raw: null, meaning: decision });
  });

  it('S7: that is text is kept as it is, and is no decision', () => {
    fc.assert(
      fc.property(anyText, (answer) => {
        const { decision, raw, meaning } = readDecision(answer);
        expect([decision, raw === answer, meaning.kind]).to.deep.equal([null, true, 'invalid']);
      }),
    );
  });

  it('S7: with arguments that do not parse keeps them as they are, and the rest beside them', () => {
    fc.assert(
      fc.property(anyText, (rest) => {
        const args = `{${rest}`;
        fc.pre(!parses(args));
        const { decision, raw, meaning } = readDecision(callTool('send', args, 'why'));
        expect(raw === args).to.be.true;
        expect([decision, meaning.kind]).to.deep.equal([{ kind: 'tool', tool: 'send', reason: 'why' }, 'invalid']);
      }),
    );
  });

  it('S7: with a lone surrogate in its arguments’ text keeps them as they are', () => {
    const args = '{"text":"\ud800"}';
    expect(readDecision(callTool('send', args)).raw === args).to.be.true;
  });

  it('P3: that is wrong says where, and nothing of what is there', () => {
    const secret = 'hunter2';
    const wrong: readonly (readonly [answer: unknown, path: string])[] = [
      [secret, 'decision'],
      [undefined, 'decision'],
      [[secret], 'decision'],
      [{ kind: secret }, 'decision.kind'],
      [{ kind: 'tool', tool: 1, args: {} }, 'decision.tool'],
      [{ kind: 'tool', tool: 'a', args: [secret] }, 'args'],
      [{ kind: 'tool', tool: 'a', args: `{${secret}` }, 'args'],
      [{ kind: 'tool', tool: 'a', args: {}, reason: 1 }, 'decision.reason'],
      [{ kind: 'tool', tool: 'a', args: {}, why: secret }, 'decision.why'],
      [{ kind: 'tool', tool: 'a', args: { at: new Date() } }, 'decision.args.at'],
      [{ kind: 'complete', message: secret }, 'decision.message'],
      [{ kind: 'complete', result: { n: NaN } }, 'decision.result.n'],
      [{ kind: 'fail' }, 'decision.message'],
      [throwing('kind'), 'decision.kind'],
      [
        {
          kind: 'tool',
          tool: 'a',
          get args() {
            return '{';
          },
        },
        'decision.args',
      ],
      [unreadable(), 'decision'],
    ];
    for (const [answer, path] of wrong) {
      const { meaning } = readDecision(answer);
      expect(meaning.kind === 'invalid' ? meaning.problems.map((problem) => problem.path) : []).to.deep.equal([path]);
      expect(JSON.stringify(meaning)).not.to.include(secret);
    }
  });

  it('S8: refuses an accessor beside arguments that do not parse, and does not read it', () => {
    const answer = Object.defineProperties(
      {},
      {
        args: { value: '{', enumerable: true },
        tool: Object.getOwnPropertyDescriptor(throwing('tool'), 'tool')!,
      },
    );
    const { raw, meaning } = readDecision(answer);
    expect(raw).to.equal('{');
    expect(meaning.kind === 'invalid' && meaning.problems[0]?.path).to.equal('decision.tool');
  });
});

describe('the answer of a policy', () => {
  it('P1: is read without throwing, whatever it is', () => {
    assertNeverThrows(readPolicyDecision);
  });

  it('P1: that is one of the four is taken as it was made', () => {
    const approval = fc.record(
      { kind: text.filter((kind) => kind !== ''), capability: text.filter((of) => of !== ''), presentation: anyObject },
      { requiredKeys: [] },
    );
    const valid = fc.oneof(fc.constant(allow()), text.map(deny), text.map(abort), approval.map(requireApproval));
    fc.assert(
      fc.property(valid, (decision) => {
        assert.deepStrictEqual(readPolicyDecision(decision), { ok: true, decision: asJson(decision) });
      }),
    );
  });

  it('P1: is judged as it is recorded, though it answers otherwise when it is asked again', () => {
    for (const recorded of [{ kind: '' }, { kind: 'unknown_outcome' }, { capability: 1 }, { presentation: [] }]) {
      expect(readPolicyDecision({ kind: 'require_approval', approval: twoFaced(recorded, {}) }).ok).to.be.false;
    }
  });

  it('P1: that is anything else is refused', () => {
    const refused: readonly unknown[] = [
      undefined,
      true,
      'allow',
      {},
      { kind: 'deny' },
      { kind: 'abort', reason: 1 },
      { kind: 'require_approval' },
      requireApproval({ kind: '' }),
      requireApproval({ kind: 'interrupted_side_effect' }),
      requireApproval({ kind: 'unknown_outcome' }),
      requireApproval({ presentation: [] as never }),
      requireApproval({ presentation: { at: new Date() as never } }),
      deny('\ud800'),
      Promise.resolve(allow()),
    ];
    const ok = refused.map((answer): ReadPolicy => readPolicyDecision(answer)).filter((read) => read.ok);
    expect(ok).to.deep.equal([]);
  });
});

describe('the answer of a reconciliation', () => {
  it('I5: is read without throwing, whatever it is', () => {
    assertNeverThrows(readReconciliation);
  });

  it('I4: that is one of the four is taken as it was made', () => {
    const wait = fc.record({ capability: text, presentation: anyObject }, { requiredKeys: [] });
    const valid = fc.oneof(
      fc.option(text, { nil: undefined }).map(Reconciliation.continue),
      fc.option(anyJson, { nil: undefined }).map(Reconciliation.complete),
      wait.map(Reconciliation.wait),
      text.map(Reconciliation.conflict),
    );
    fc.assert(
      fc.property(valid, (answer) => {
        assert.deepStrictEqual(readReconciliation(answer), { ok: true, answer: asJson(answer) });
      }),
    );
  });

  it('I5: is judged as it is recorded, though it answers otherwise when it is asked again', () => {
    for (const recorded of [{}, { kind: 'complete' }, { kind: 'wait', approval: [] }, { kind: 'conflict' }]) {
      expect(readReconciliation(twoFaced(recorded, { ...Reconciliation.continue() })).ok).to.be.false;
    }
  });

  it('I5: that is anything else is refused', () => {
    const refused: readonly unknown[] = [
      undefined,
      null,
      'continue',
      {},
      { kind: 'maybe' },
      { kind: 'continue' },
      { kind: 'continue', detail: 1 },
      { kind: 'complete' },
      { kind: 'complete', result: NaN },
      { kind: 'wait' },
      { kind: 'wait', approval: { capability: 1 } },
      { kind: 'wait', approval: { presentation: 'x' } },
      { kind: 'conflict' },
    ];
    const ok = refused.map((answer): ReadReconciliation => readReconciliation(answer)).filter((read) => read.ok);
    expect(ok).to.deep.equal([]);
  });
});

describe('what was thrown', () => {
  it('is described without throwing, whatever it is, as text that can be recorded', () => {
    assertNeverThrows(describeThrown);
  });

  it('is described by name and message', () => {
    expect(describeThrown(new RangeError('too far'))).to.deep.equal({ name: 'RangeError', message: 'too far' });
    expect(describeThrown('no')).to.deep.equal({ name: 'Error', message: 'string was thrown: no' });
    expect(describeThrown(new Error('\ud800'))).to.deep.equal({ name: 'Error', message: '\\ud800' });
  });

  it('may be an error whose name or message is not text, or cannot be read', () => {
    expect(describeThrown(Object.assign(new Error('x'), { name: 5 }))).to.deep.equal({ name: '5', message: 'x' });
    expect(describeThrown(Object.assign(new Error('x'), { message: [1, 2] })).message).to.equal('1,2');
    const unreadableError = Object.setPrototypeOf(throwing('message'), Error.prototype) as Error;
    expect(describeThrown(unreadableError)).to.deep.equal({
      name: 'Error',
      message: 'object was thrown: it has no text',
    });
  });
});

function parses(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
