/**
 * Publishes a release three times, each in a world of its own: once undisturbed, and once each with a process that is
 * killed after one of the two effects and before its record. `node main.js`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Runtime, type Run, type Step } from 'holdpoint';
import { CrashPoint, runScenario } from 'holdpoint/testkit';
import { provideIn } from './publish.scenario.js';
import { goalOf, ReleaseAgent, releasePolicy } from './release-agent.js';
import { World } from './world.js';

/** An application's part of it: opens a runtime, and starts the run. */
async function publish(world: World, store: string): Promise<void> {
  await using runtime = await Runtime.open({
    store,
    agents: [ReleaseAgent],
    provide: provideIn(world),
    policy: releasePolicy,
  });
  const run = await runtime.start(ReleaseAgent, { id: 'release-1.4.0', goal: goalOf(await world.release()) });
  await show(world, run, await runtime.client.runs.steps(run.id));
}

/** The same agent, as processes: the first is killed with SIGKILL, and a later one takes the run over. */
async function publishAndDie(step: number): Promise<void> {
  const module = new URL('./publish.scenario.js', import.meta.url);
  await runScenario({ module }, [{ step, at: CrashPoint.ToolEffect }], {
    way: 'kill',
    check: async ({ run, steps, crashes, calls, resumes }, dir) => {
      const [died] = crashes;
      print('processes', `${resumes + 1}; number ${died?.life} was killed`);
      for (const { tool, life } of calls) print('a call', `${tool}, by process ${life}`);
      await show(await World.at(dir), run, steps);
    },
  });
}

/** What the record says, and what the world says. */
async function show(world: World, run: Run, steps: readonly Step[]): Promise<void> {
  const { branch } = await world.release();
  const { commit, changeRequests } = await world.look();
  print('the run', `${run.status}, ${run.reason}`);
  for (const { index, tool, observation } of steps) {
    if (tool === null || observation?.kind !== 'result') continue;
    print(`step ${index}`, `${tool}, ${observation.recovered ? 'recovered by its reconciliation' : 'done'}`);
  }
  print('the remote', `${branch} at ${commit ?? 'nothing'}`);
  for (const { number, title, body } of changeRequests) print(`change #${number}`, `${title} (${body})`);
}

function print(name: string, value: string): void {
  console.log(`  ${name.padEnd(10)}  ${value}`);
}

const dir = await mkdtemp(join(tmpdir(), 'holdpoint-publish-'));
try {
  console.log('1. Nothing happens\n');
  await publish(await World.at(dir), join(dir, 'runs.db'));
  console.log('\n2. The process is killed after the push, before its result is recorded\n');
  await publishAndDie(1);
  console.log('\n3. The process is killed after the change request was opened, before its result is recorded\n');
  await publishAndDie(2);
} finally {
  await rm(dir, { recursive: true, force: true });
}
