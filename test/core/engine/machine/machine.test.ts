import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { World } from '../../../support/world.js';
import { stand, type Command } from './acts.js';
import { commands, config as configs } from './commands.js';
import { compare } from './compare.js';
import { start } from './model/loop.js';
import { Model } from './model/model.js';
import { RunRecord, type Config } from './model/record.js';
import { AGENT } from './real/program.js';
import { unlessHung } from './real/hung.js';
import { Real, RUN } from './real/real.js';

/** More runs take longer and find more; the seed of a failure is printed with it. */
const RUNS = Number(process.env.HOLDPOINT_PROPERTY_RUNS ?? 150);
const SEED = process.env.HOLDPOINT_PROPERTY_SEED;

/** A run takes a fraction of a second; this ends one that hangs, and leaves time to shrink one that fails. */
const TIMEOUT_MS = 300_000 + RUNS * 1_000;

describe('the step machine', () => {
  it('S2, S5–S7, S11, L1, L4–L9, L11, I1–I10, A1–A6, P1, P3–P5: does what a model of the contract does', async function () {
    this.timeout(TIMEOUT_MS);
    const empty = await emptyStore();
    const property = fc.asyncProperty(configs, commands, async (config, drawn) => {
      const world = new World();
      writeFileSync(world.file, empty, { mode: 0o600 });
      try {
        await run(world, config, drawn);
      } finally {
        await unlessHung(world.close(), 'the world did not close');
      }
    });
    await fc.assert(property, { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) });
  });
});

/** The file of a store without runs: copied for each run of the property, so that the schema is made once. */
async function emptyStore(): Promise<Buffer> {
  const world = new World();
  await (await world.open([])).runtime.close();
  const file = readFileSync(world.file);
  await world.close();
  return file;
}

async function run(world: World, config: Config, drawn: Iterable<Command>): Promise<void> {
  const model = new Model(new RunRecord(config, world.clock.now()));
  const real = await Real.open(world, config);
  try {
    await begin(model, real, config);
    await fc.asyncModelRun(() => ({ model, real }), drawn);
  } catch (error) {
    throw new Error([...model.done, (error as Error).message].join('\n'), { cause: error });
  } finally {
    await real.close();
  }
}

/** The run is created for somebody to resume, or started. */
async function begin(model: Model, real: Real, config: Config): Promise<void> {
  const { limits } = config;
  if (config.created) {
    await real.client.start(AGENT, { id: RUN, goal: 'to be tidy', limits });
  } else {
    const runner = model.open('same');
    const process = await real.open(runner.name, 'same');
    const expected = runner.begin(start(runner), null);
    const actual = await process.begin((runtime) => runtime.start(AGENT, { id: RUN, goal: 'to be tidy' }), null);
    await stand(model, real, runner, expected, actual);
  }
  await compare(model, real);
}
