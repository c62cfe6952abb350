import { fork } from 'node:child_process';
import { once } from 'node:events';
import { InvalidArgumentError } from '../../core/errors.js';
import type { OpenedEngine } from '../runtime-options.js';
import { abandon, live, type LifeEnd, type LifePlan } from './life.js';
import { isModule, makeScenario, type ScenarioModule, type ScenarioSource } from './scenario.js';
import { Trace } from './trace.js';

/**
 * How the processes of a scenario die.
 *
 * - `park`: in this process. The loop never goes on, its connections close, its heartbeat stops, its lease stays. What a
 *   module keeps in memory stays too.
 * - `kill`: each life is a child process, and the crash is SIGKILL. The scenario must be a module's.
 */
export type WayToDie = 'park' | 'kill';

export const WAYS_TO_DIE: readonly WayToDie[] = ['park', 'kill'];

/** What a child process is told. */
export interface ChildPlan {
  readonly source: { readonly module: string; readonly name?: string };
  readonly dir: string;
  readonly trace: string;
  readonly plan: LifePlan;
}

/** Lives lives, in one of the ways, one after the other. */
export interface Liver {
  live(plan: LifePlan): Promise<LifeEnd>;
  close(): Promise<void>;
}

export function parking(source: ScenarioSource, dir: string, trace: string): Liver {
  return new Parking(source, dir, trace);
}

/** @throws InvalidArgumentError if another process could not load the scenario */
export function killing(source: ScenarioSource, dir: string, trace: string): Liver {
  assertModule(source);
  const child = { module: String(source.module), ...(source.name === undefined ? {} : { name: source.name }) };
  return new Killing({ source: child, dir, trace });
}

/** @throws InvalidArgumentError if another process could not load the scenario */
export function assertModule(source: ScenarioSource): asserts source is ScenarioModule {
  if (isModule(source)) return;
  throw new InvalidArgumentError(`to die by kill, give the scenario as { module: import.meta.url, name: '…' }`);
}

class Parking implements Liver {
  /** Ends the life that is lived, if one is. */
  #end: (() => Promise<unknown>) | null = null;

  constructor(
    private readonly source: ScenarioSource,
    private readonly dir: string,
    private readonly trace: string,
  ) {}

  async live(plan: LifePlan): Promise<LifeEnd> {
    const scenario = await makeScenario(this.source, this.dir);
    let go: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (go = resolve));
    const living = live(scenario, new Trace(this.trace), plan, park, gone);
    this.#end = () => {
      go();
      return living;
    };
    return living.finally(() => (this.#end = null));
  }

  async close(): Promise<void> {
    await this.#end?.();
  }
}

async function park(opened: OpenedEngine): Promise<LifeEnd> {
  await abandon(opened);
  return { kind: 'crashed' };
}

class Killing implements Liver {
  #living: Born | null = null;
  #spare: Born | null = null;

  constructor(private readonly told: Omit<ChildPlan, 'plan'>) {}

  live(plan: LifePlan): Promise<LifeEnd> {
    const born = this.#spare ?? new Born();
    this.#living = born;
    // Whoever comes after a crash is on its way by then: a process takes longer to start than most lives last.
    this.#spare = plan.crash ? new Born() : null;
    return born.live({ ...this.told, plan });
  }

  async close(): Promise<void> {
    for (const born of [this.#living, this.#spare]) await born?.kill();
  }
}

/** A process that waits to be told its life. */
class Born {
  readonly #child = fork(new URL('./life-child.js', import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // It lives for a moment: what V8 optimises in the background meanwhile is a fifth of its work, for nothing.
    execArgv: [...process.execArgv, '--no-opt'],
  });
  readonly #exited = once(this.#child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;

  constructor() {
    // Whether it could be started is told to who awaits it, if anybody does.
    this.#exited.catch(() => undefined);
  }

  async live(told: ChildPlan): Promise<LifeEnd> {
    const said: LifeEnd[] = [];
    this.#child.on('message', (message) => said.push(message as LifeEnd));
    // One that has died by now cannot be told; how it ended is seen below.
    this.#child.send(told, () => undefined);
    const [code, signal] = await this.#exited;
    if (signal === 'SIGKILL') return { kind: 'crashed' };
    if (said[0]) return said[0];
    const how = code ?? signal ?? 'nothing';
    throw new Error(`the child process of life ${told.plan.life} exited with ${how} and said nothing`);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited.catch(() => undefined);
  }
}
