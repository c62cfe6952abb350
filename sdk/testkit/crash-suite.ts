import { InvalidArgumentError } from '../../core/errors.js';
import { RUN_STATUSES, type RunStatus } from '../../core/model/run.js';
import * as argument from '../arguments.js';
import { crashesOf, describeCrash, type Crash } from './crash-point.js';
import { judging, playScenario, runScenario, type CheckScenario, type ScenarioResult } from './run-scenario.js';
import type { ScenarioSource } from './scenario.js';
import { assertModule, WAYS_TO_DIE, type WayToDie } from './ways-to-die.js';

/** How thorough a suite is. */
export interface CrashSuiteOptions {
  /** Default `['park']`. `kill` takes a scenario that another process can load. */
  readonly ways?: readonly WayToDie[];
  /** Also two crashes in a row: each crash with each second crash in its recovery. Default true, by `park`. */
  readonly pairs?: boolean;
  /** For each test, and for each run that finds the points, in milliseconds; default 20000. */
  readonly timeoutMs?: number;
  /** The status that every run of the suite ends with. Default any, but for a run that a fault of the program ended. */
  readonly ends?: RunStatus;
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
 * The points are found by running the scenario, so the tests follow the agent. If it fails without any crash, that is the
 * only test.
 *
 * @throws InvalidArgumentError if an option is wrong, or mocha is not there
 */
export function crashSuite(name: string, source: ScenarioSource, options: CrashSuiteOptions = {}): void {
  const { ways, pairs, timeoutMs, ends, check } = checkedOptions(source, options);
  const run = (crashes: readonly Crash[], way: WayToDie): Promise<ScenarioResult> =>
    runScenario(source, crashes, { way, ...(ends ? { ends } : {}), ...(check ? { check } : {}) });
  describe(name, function () {
    this.timeout(timeoutMs);
    let unharmed: Promise<ScenarioResult>;
    const first = it('holds the contract without a crash', () => unharmed);
    before(async function () {
      this.timeout(0);
      // A limit for each run, rather than one for all of them: nobody knows yet how many there will be.
      unharmed = playScenario(source, [], { timeoutMs, check: judging(ends, check) });
      const result = await unharmed.catch(() => null);
      if (!result) return;
      const singles = offeredBy(result);
      const define = (title: string, body: () => Promise<unknown>): void => {
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
        for (const second of offeredBy(await playScenario(source, [crash], { timeoutMs }))) {
          const title = `holds it across a crash at ${describeCrash(crash)}, then one at ${describeCrash(second)}`;
          define(title, () => run([crash, second], 'park'));
        }
      }
    });
  });
}

const OPTIONS = ['ways', 'pairs', 'timeoutMs', 'ends', 'check'];
const TIMEOUT_MS = 20_000;

function checkedOptions(source: ScenarioSource, options: unknown) {
  const given = argument.members(options, 'options', OPTIONS) as CrashSuiteOptions;
  const { ways = ['park'], pairs = true, timeoutMs = TIMEOUT_MS, check } = given;
  const known = WAYS_TO_DIE.filter((way) => ways.includes(way));
  if (known.length === 0 || known.length < ways.length)
    throw new InvalidArgumentError(`ways must be a list of ${WAYS_TO_DIE.join(' and ')}`);
  if (ways.includes('kill')) assertModule(source);
  if (typeof describe !== 'function' || typeof before !== 'function') {
    throw new InvalidArgumentError(
      'crashSuite defines mocha tests, and mocha is not running; with another runner use discover and runScenario',
    );
  }
  return { ways, pairs, timeoutMs, check, ends: argument.oneOf(given.ends, 'ends', RUN_STATUSES) };
}

/** The crashes that a scenario offers after the given ones, however its run then ends: each crash's own run is judged. */
export async function discover(source: ScenarioSource, after: readonly Crash[] = []): Promise<Crash[]> {
  return offeredBy(await playScenario(source, after));
}

function offeredBy({ points, crashes }: ScenarioResult): Crash[] {
  const last = crashes.at(-1)?.life ?? 0;
  return crashesOf(points.filter(({ life }) => life > last));
}
