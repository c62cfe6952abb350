import fc from 'fast-check';
import { commands, config } from './commands.js';
import { emptyStore, play } from './play.js';

/** More runs take longer and find more. The seed of a failure is printed with it, and can be given here. */
const RUNS = Number(process.env.HOLDPOINT_PROPERTY_RUNS ?? 200);
const SEED = process.env.HOLDPOINT_PROPERTY_SEED;

/** A run takes a fraction of a second; this leaves time to shrink one that fails. */
const TIMEOUT_MS = 300_000 + RUNS * 1_000;

describe('the step machine', () => {
  it('S2, S4–S7, S11, L1, L4–L9, L11, I1–I10, A1–A6, P1–P5: does what a model of the contract does', async function () {
    this.timeout(TIMEOUT_MS);
    const empty = await emptyStore();
    const property = fc.asyncProperty(config, commands, async (opened, drawn) => {
      await play(opened, drawn, empty);
    });
    await fc.assert(property, { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) });
  });
});
