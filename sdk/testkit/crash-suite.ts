import { crashesOf, describeCrash, type Crash } from './crash-point.js';
import { runScenario, type CheckScenario } from './run-scenario.js';
import type { ScenarioSource } from './scenario.js';
import type { WayToDie } from './ways-to-die.js';

/** How thorough a suite is. */
export interface CrashSuiteOptions {
  /** Default `['park']`. `kill` takes a scenario that another process can load. */
  readonly ways?: readonly WayToDie[];
  /** Also two crashes in a row: each crash with each second crash in its recovery. Default true, by `park`. */
  readonly pairs?: boolean;
  /** For each test, in milliseconds; default 20000. */
  readonly timeoutMs?: number;
  /**
   * Called with every result and the folder of the outside world, to check what the scenario itself promises, e.g. that
   * the ledger holds one charge.
   */
  readonly check?: CheckScenario;
}

/**
 * A mocha suite that proves the contract for an agent: one test for every crash point that its scenario reaches, and one
 * for each pair of a crash and a second crash in its recovery.
 *
 * The points are found by running the scenario, so the tests follow the agent.
 */
export function crashSuite(name: string, source: ScenarioSource, options: CrashSuiteOptions = {}): void {
  const { ways = ['park'], pairs = true, timeoutMs = 20_000, check } = options;
  const run = async (crashes: readonly Crash[], way: WayToDie): Promise<void> => {
    await runScenario(source, crashes, { way, ...(check ? { check } : {}) });
  };
  describe(name, function () {
    this.timeout(timeoutMs);
    const first = it('holds the contract without a crash', () => run([], 'park'));
    before(async function () {
      this.timeout(0);
      const singles = await discover(source);
      const define = (title: string, body: () => Promise<void>): void => {
        const test = first.clone();
        test.title = title;
        test.fn = body;
        first.parent?.addTest(test);
      };
      for (const way of ways) {
        for (const crash of singles)
          define(`holds it across a crash at ${describeCrash(crash)} (${way})`, () => run([crash], way));
      }
      if (!pairs) return;
      for (const crash of singles) {
        for (const second of await discover(source, [crash])) {
          const title = `holds it across a crash at ${describeCrash(crash)}, then one at ${describeCrash(second)}`;
          define(title, () => run([crash, second], 'park'));
        }
      }
    });
  });
}

/** The crashes that a scenario offers after the given ones. */
export async function discover(source: ScenarioSource, after: readonly Crash[] = []): Promise<Crash[]> {
  const { points, crashes } = await runScenario(source, after);
  const last = crashes.at(-1)?.life ?? 0;
  return crashesOf(points.filter(({ life }) => life > last));
}
