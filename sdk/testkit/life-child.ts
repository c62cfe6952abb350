import { live } from './life.js';
import { makeScenario } from './scenario.js';
import { Trace } from './trace.js';
import type { ChildPlan } from './ways-to-die.js';

/** One life of a scenario as a process of its own. At its crash it kills itself: nothing of it runs after that. */
process.once('message', (told: ChildPlan) => {
  void lifeOf(told).then((end) => {
    // Whatever the scenario leaves open, a timer or a pool, does not keep it.
    process.send?.(end, () => process.exit());
  });
});
process.once('disconnect', () => process.exit());

async function lifeOf({ source, dir, trace, plan }: ChildPlan) {
  const scenario = await makeScenario(source, dir);
  return live(scenario, new Trace(trace), plan, () => {
    process.kill(process.pid, 'SIGKILL');
    // The signal may take an instant; nothing may run until it arrives.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    return Promise.resolve({ kind: 'crashed' });
  });
}
