import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { World } from '../../../support/world.js';
import { stand, type Command } from './acts.js';
import { compare } from './compare.js';
import { start } from './model/loop.js';
import { Model } from './model/model.js';
import { RunRecord, type Config } from './model/record.js';
import { AGENT } from './real/program.js';
import { unlessHung } from './real/hung.js';
import { Real, RUN } from './real/real.js';

/** Does the commands that apply, one after the other, to a model and to a store of their own. */
export async function play(config: Config, commands: Iterable<Command>, empty: Buffer): Promise<Model> {
  const world = new World();
  writeFileSync(world.file, empty, { mode: 0o600 });
  try {
    return await run(world, config, commands);
  } finally {
    await unlessHung(world.close(), 'the world did not close');
  }
}

/** The file of a store without runs: copied for each run of the property, so that the schema is made once. */
export async function emptyStore(): Promise<Buffer> {
  const world = new World();
  await (await world.open([])).runtime.close();
  const file = readFileSync(world.file);
  await world.close();
  return file;
}

async function run(world: World, config: Config, commands: Iterable<Command>): Promise<Model> {
  const model = new Model(new RunRecord(config, world.clock.now()));
  const real = await Real.open(world, config);
  try {
    await begin(model, real, config);
    await fc.asyncModelRun(() => ({ model, real }), commands);
    return model;
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
