import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../core/clock.js';
import { InvalidArgumentError } from '../../core/errors.js';
import type { Approval } from '../../core/model/approval.js';
import type { RunEvent } from '../../core/model/event.js';
import { DEFAULT_LIMITS } from '../../core/model/limits.js';
import { isTerminal, RUN_STATUSES, type Run, type RunStatus } from '../../core/model/run.js';
import type { Step } from '../../core/model/step.js';
import { loadApprovals, loadEvents, loadRun, loadSteps } from '../../core/store/reads.js';
import { Store } from '../../core/store/store.js';
import * as argument from '../arguments.js';
import { Client } from '../client.js';
import { assertEnd, assertScenario, ScenarioViolation } from './assertions.js';
import { assertCrash, describeCrash, isAt, type Crash, type Reached } from './crash-point.js';
import { RUN_ID, TTL_MS, type LifeEnd } from './life.js';
import { answerOf, makeScenario, toolsOfScenario, type Scenario, type ScenarioSource } from './scenario.js';
import { livesOf, Trace, type RecordedCall } from './trace.js';
import { killing, parking, WAYS_TO_DIE, type Liver, type WayToDie } from './ways-to-die.js';
import { within } from './within.js';

/** What a scenario came to. */
export interface ScenarioResult {
  readonly run: Run;
  readonly steps: readonly Step[];
  readonly approvals: readonly Approval[];
  readonly events: readonly RunEvent[];
  /** Every call that a tool really got, in order. */
  readonly calls: readonly RecordedCall[];
  /** The crashes that were reached, each with the life that it ended. */
  readonly crashes: readonly (Crash & { readonly life: number })[];
  /** Lives after the first. */
  readonly resumes: number;
  /** Every point that was reached, in order. */
  readonly points: readonly Reached[];
}

export interface ScenarioOptions {
  /** Default `park`. */
  readonly way?: WayToDie;
  /** The status that the run ends with. Default any, but for a run that a fault of the program ended. */
  readonly ends?: RunStatus;
  /** Called with the result and the folder of the outside world, which is removed after it. */
  readonly check?: CheckScenario;
}

/** Checks what a scenario itself promises. `dir` is the folder that the scenario was made with. */
export type CheckScenario = (result: ScenarioResult, dir: string) => unknown;

const START = Date.UTC(2026, 0, 1);
const MAX_LIVES = 100;

/**
 * Runs a scenario in a fresh file-backed store and lets its process die at each of the given points in turn. After each
 * death a fresh runtime goes on, as a restarted process would: refused until the dead one's lease has run out. It ends
 * when the run does, or when the operator leaves it.
 *
 * @throws ScenarioViolation naming the step, the event and the clause, if the contract does not hold, or the run does not
 *   end as `ends` says
 * @throws InvalidArgumentError if the scenario, a crash or an option is none
 * @throws what `check` throws, with the points that were reached added to its message
 */
export async function runScenario(
  source: ScenarioSource,
  crashes: readonly Crash[] = [],
  options: ScenarioOptions = {},
): Promise<ScenarioResult> {
  const { way, ends, check } = checkedOptions(options);
  return playScenario(source, crashes, { way, check: judging(ends, check) });
}

/** How a run must have ended, and then what its scenario promises. */
export function judging(ends: RunStatus | undefined, check: CheckScenario | undefined): CheckScenario {
  return async (result, dir) => {
    assertEnd(result, ends);
    await check?.(result, dir);
  };
}

function checkedOptions(options: unknown) {
  const { way, ends, check } = argument.members(options, 'options', ['way', 'ends', 'check']);
  if (check !== undefined && typeof check !== 'function') throw new InvalidArgumentError('check must be a function');
  return {
    way: argument.oneOf(way, 'way', WAYS_TO_DIE) ?? 'park',
    ends: argument.oneOf(ends, 'ends', RUN_STATUSES),
    check: check as CheckScenario | undefined,
  };
}

/** What only the kit itself asks of a scenario. */
export interface PlayOptions {
  readonly way?: WayToDie;
  readonly check?: CheckScenario;
  /** How long the lives, and then the check, may take; default 0, for ever. */
  readonly timeoutMs?: number;
  /** Is told what each death leaves behind, before anybody goes on. */
  readonly atDeath?: (left: Rows) => void;
}

/** What the store holds of a run. */
type Rows = Pick<ScenarioResult, 'run' | 'steps' | 'approvals' | 'events'>;

/** Runs a scenario and checks the contract. Of how the run ended it says nothing. */
export async function playScenario(
  source: ScenarioSource,
  crashes: readonly Crash[],
  { way = 'park', check, timeoutMs = 0, atDeath }: PlayOptions = {},
): Promise<ScenarioResult> {
  assertCrashes(crashes);
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-scenario-'));
  try {
    const outside = join(dir, 'outside');
    mkdirSync(outside);
    const file = join(dir, 'trace.jsonl');
    const parked = parking(source, outside, file);
    const liver = way === 'kill' ? killing(source, outside, file) : parked;
    const scenario = (): Promise<Scenario> => makeScenario(source, outside);
    const play = new Play(scenario, join(dir, 'runs.db'), new Trace(file), liver, parked, atDeath);
    const inTime = <T>(work: () => Promise<T>): Promise<T> =>
      within(timeoutMs, work, () => play.late(crashes, timeoutMs));
    const result = await inTime(() => play.play(crashes)).finally(() => play.close());
    await inTime(() => checked(result, () => check?.(result, outside)));
    return result;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function assertCrashes(crashes: unknown): void {
  if (!Array.isArray(crashes)) throw new InvalidArgumentError('crashes must be a list, e.g. [{ step: 1, at: … }]');
  crashes.forEach(assertCrash);
}

/** What a check finds is told with what happened before it. */
async function checked(result: ScenarioResult, check: () => unknown): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof Error) {
      const { message, stack = '' } = error;
      error.message = `${message}\n\n${livesOf(result.points, result.crashes)}`;
      error.stack = stack.replace(message, () => error.message);
    }
    throw error;
  }
}

/** The lives of one scenario, one after the other. */
class Play {
  readonly #clock = new ManualClock(START);
  #client: Client | null = null;
  #store: Store | null = null;
  #lives = 0;
  #closed = false;
  readonly #reached: ScenarioResult['crashes'][number][] = [];

  constructor(
    private readonly make: () => Promise<Scenario>,
    private readonly store: string,
    private readonly trace: Trace,
    private readonly liver: Liver,
    /** Lives a life that only has to be refused: no process is needed for that. */
    private readonly refused: Liver,
    private readonly atDeath: PlayOptions['atDeath'],
  ) {}

  async play(crashes: readonly Crash[]): Promise<ScenarioResult> {
    const scenario = await this.make();
    const pending = [...crashes];
    do {
      if (await this.#dies(pending[0] ?? null)) pending.shift();
    } while (await this.#goesOn(scenario));
    const [missed] = pending;
    if (missed) throw this.#neverReached(missed);
    return this.#result(scenario);
  }

  /** Lives one life; whether it died. */
  async #dies(crash: Crash | null): Promise<boolean> {
    const end = await this.#live(crash && this.#leftOf(crash, this.#reached.at(-1)?.life ?? 0));
    if (this.#closed) throw new Error('nobody waits for this scenario any more');
    if (end.kind === 'threw')
      throw new Error(`life ${this.#lives} of the scenario failed: ${end.code}: ${end.message}`);
    if (end.kind === 'returned') return false;
    this.#assertMeant(crash);
    this.#reached.push({ ...crash, life: this.#lives });
    this.atDeath?.(await this.#record());
    return true;
  }

  /** What a run says that somebody waited for long enough. */
  late(crashes: readonly Crash[], timeoutMs: number): ScenarioViolation {
    const which =
      crashes.length === 0 ? 'without a crash' : `with a crash at ${crashes.map(describeCrash).join(', then one at ')}`;
    return new ScenarioViolation(
      'the crash kit',
      `the run ${which} did not end within ${timeoutMs} ms: something in it never answers\n\n${this.#told()}`,
    );
  }

  #told(): string {
    return livesOf(this.trace.read().points, this.#reached);
  }

  /** A process can also be killed by somebody else, or by the system when memory runs out. */
  #assertMeant(crash: Crash | null): asserts crash is Crash {
    const last = this.trace.read().points.findLast(({ life }) => life === this.#lives);
    if (crash && last && isAt(crash, last)) return;
    const where = last ? `after step ${last.step}, ${last.names.at(-1) ?? 'nothing'}` : 'before its first point';
    throw new Error(`life ${this.#lives} of the scenario was killed ${where}, and not by the crash kit`);
  }

  #neverReached(missed: Crash): ScenarioViolation {
    return new ScenarioViolation(
      'the crash kit',
      `the crash at ${describeCrash(missed)} was never reached; a scenario must be the same every time\n\n${this.#told()}`,
    );
  }

  /** The crash, given that lives before this one may have passed its point without being meant. */
  #leftOf(crash: Crash, lastCrashed: number): Crash {
    const passed = this.trace.read().points.filter((point) => point.life > lastCrashed && isAt(crash, point)).length;
    return { ...crash, occurrence: (crash.occurrence ?? 1) - passed };
  }

  async #live(crash: Crash | null, liver = this.liver): Promise<LifeEnd> {
    this.#lives += 1;
    if (this.#lives > MAX_LIVES) throw new Error(`the scenario did not end within ${MAX_LIVES} lives`);
    return liver.live({ life: this.#lives, store: this.store, now: this.#clock.now(), crash });
  }

  /** What happens between two lives: the lease runs out, or a person decides. */
  async #goesOn(scenario: Scenario): Promise<boolean> {
    const run = await (await this.#operator()).runs.get(RUN_ID);
    if (isTerminal(run.status)) return false;
    if (run.status === 'WAITING') return this.#decide(scenario);
    await this.#waitLeaseOut();
    return true;
  }

  async #waitLeaseOut(): Promise<void> {
    const end = await this.#live(null, this.refused);
    if (end.kind !== 'threw' || end.code !== 'RUN_LEASED') {
      throw new ScenarioViolation('L6', `a resume while the dead process's lease was live was not refused`);
    }
    this.#clock.advance(TTL_MS + 1);
  }

  async #decide(scenario: Scenario): Promise<boolean> {
    const client = await this.#operator();
    const [pending] = await client.approvals.list({ runId: RUN_ID, status: 'pending' });
    if (!pending) return true;
    const answer = await answerOf(scenario, pending);
    const decision = { hash: pending.hash, by: 'operator' };
    if (answer === 'leave') return false;
    if (answer === 'approve') await client.approvals.approve(pending.id, decision);
    else if (answer === 'reject') await client.approvals.reject(pending.id, decision);
    else await client.approvals.settle(pending.id, { ...decision, result: answer.settle });
    return !isTerminal((await client.runs.get(RUN_ID)).status);
  }

  async #result(scenario: Scenario): Promise<ScenarioResult> {
    const client = await this.#operator();
    const result: ScenarioResult = {
      ...(await this.#record()),
      crashes: this.#reached,
      resumes: this.#lives - 1,
      ...this.trace.read(),
    };
    const readOnly = toolsOfScenario(scenario).filter(({ spec }) => spec.readOnly);
    assertScenario(result, {
      chain: await client.verify({ runId: RUN_ID }),
      readOnly: new Set(readOnly.map(({ spec }) => spec.name)),
    });
    return result;
  }

  /** All of it, whole: a client's reads are bounded. */
  async #record(): Promise<Rows> {
    const store = await this.#opened();
    return store.read(async (sql) => ({
      run: await loadRun(store, sql, RUN_ID),
      steps: await loadSteps(store, sql, RUN_ID),
      approvals: await loadApprovals(store, sql, RUN_ID),
      events: await loadEvents(store, sql, RUN_ID),
    }));
  }

  /** The operator's client. */
  async #operator(): Promise<Client> {
    this.#client ??= new Client(await this.#opened(), DEFAULT_LIMITS, () => undefined, true, null);
    return this.#client;
  }

  /** The store, opened once the first life has made it. */
  async #opened(): Promise<Store> {
    this.#store ??= await Store.open({ location: this.store, create: false, clock: this.#clock });
    return this.#store;
  }

  async close(): Promise<void> {
    this.#closed = true;
    try {
      await this.liver.close();
    } finally {
      await this.#store?.close();
    }
  }
}
