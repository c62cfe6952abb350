import { expect } from 'chai';
import fc from 'fast-check';
import { callTool, type Step } from 'holdpoint';
import { agentClass, toolClass } from '../../support/agents.js';
import { World, type Mortal } from '../../support/world.js';
import { anyText } from '../model/values.js';

const EXAMPLES = [
  '',
  '\0',
  '\ud800',
  'a\udc00\ud800b',
  '"',
  '\\u0041',
  '\u2028\u2029',
  '\u{1f600}',
  '\ufeff{}',
  '{"a":1',
  '\x7f\x80\xff',
];

describe('what an agent answered', () => {
  let world: World;
  let mortal: Mortal;
  let answer: unknown;
  beforeEach(async () => {
    world = new World();
    const look = toolClass(true, { name: 'look' }, () => null);
    mortal = await world.open([agentClass('model', [look], () => answer)], { limits: { maxFailures: 1 } });
  });
  afterEach(() => world.close());

  /** The step of the answer, and its event, as a program that opens the store later has them. */
  async function recordedAs(given: unknown): Promise<{ step: Step; raw: unknown }> {
    answer = given;
    const { id } = await mortal.runtime.start('model', { goal: 'answer' });
    const client = await world.client();
    const [step] = await client.runs.steps(id);
    const decided = (await client.runs.events(id)).find(({ type }) => type === 'step.decided');
    await client.close();
    const { raw } = decided?.payload as { raw?: string };
    return { step: step!, raw: raw === undefined ? null : JSON.parse(raw) };
  }

  it('S7: is kept byte for byte if it is text', async () => {
    for (const text of EXAMPLES) {
      const { step, raw } = await recordedAs(text);
      expect([step.decision, step.rawDecision === text, raw === text, step.decodeError], text).to.deep.equal([
        null,
        true,
        true,
        null,
      ]);
    }
  });

  it('S7: is kept byte for byte, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const { step, raw } = await recordedAs(text);
        expect(step.rawDecision === text).to.be.true;
        expect(raw === text).to.be.true;
      }),
      { numRuns: 25 },
    );
  });

  it('S7: is kept byte for byte where its arguments are text that does not parse, and the rest beside it', async () => {
    for (const text of EXAMPLES) {
      const { step, raw } = await recordedAs(callTool('look', text));
      expect([step.rawDecision === text, raw === text]).to.deep.equal([true, true]);
      expect(step.decision).to.deep.equal({ kind: 'tool', tool: 'look' });
      expect(step.observation?.kind).to.equal('invalid_decision');
    }
  });

  it('S7: is recorded as it was made where it is JSON, valid or not', async () => {
    for (const given of [
      { kind: 'tool', tool: 'nothing', args: { a: [1, 'é\u{1f600}'] } },
      ['strange'],
      null,
      5,
      { kind: 'tool', tool: 'look', args: '{"text": 1}' },
    ]) {
      const { step, raw } = await recordedAs(given);
      expect([step.decision, step.rawDecision, raw]).to.deep.equal([given, null, null]);
    }
  });

  it('S7: is in the database before anything of it is judged', async () => {
    const judged: string[] = [];
    mortal.dieAfter(3);
    answer = 'not a decision';
    await mortal.runtime.start('model', { goal: 'answer', id: 'dies' }).catch(() => judged.push('died'));
    const [step] = await (await world.client()).runs.steps('dies');
    expect([judged, step?.status, step?.rawDecision, step?.observation]).to.deep.equal([
      ['died'],
      'deciding',
      'not a decision',
      null,
    ]);
  });
});
