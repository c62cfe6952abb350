import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { InvalidArgumentError } from '../../core/errors.js';
import { abandon, live, type LifeEnd, type LifePlan } from './life.js';
import { isModule, type Scenario, type ScenarioSource } from './scenario.js';
import type { Trace } from './trace.js';

/**
 * How the processes of a scenario die.
 *
 * - `park`: in this process. The loop never goes on, its connections close, its heartbeat stops, its lease stays.
 * - `kill`: each life is a child process, and the crash is SIGKILL. The scenario must be a module's.
 */
export type WayToDie = 'park' | 'kill';

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

export function parking(scenario: Scenario, trace: Trace): Liver {
  return {
    live: (plan) =>
      live(scenario, trace, plan, async (opened) => {
        await abandon(opened);
        return { kind: 'crashed' };
      }),
    close: () => Promise.resolve(),
  };
}

/** @throws InvalidArgumentError if another process could not load the scenario */
export function killing(source: ScenarioSource, dir: string, trace: string): Liver {
  if (!isModule(source)) {
    throw new InvalidArgumentError(`to die by kill, give the scenario as { module: import.meta.url, name: '…' }`);
  }
  const child = { module: String(source.module), ...(source.name === undefined ? {} : { name: source.name }) };
  return new Killing({ source: child, dir, trace });
}

class Killing implements Liver {
  /** A process that has not been told its life yet. */
  #spare: ChildProcess | null = null;

  constructor(private readonly told: Omit<ChildPlan, 'plan'>) {}

  async live(plan: LifePlan): Promise<LifeEnd> {
    const child = this.#spare ?? born();
    // Whoever comes after a crash is on its way by then: a process takes longer to start than most lives last.
    this.#spare = plan.crash ? born() : null;
    const said: LifeEnd[] = [];
    child.on('message', (message) => said.push(message as LifeEnd));
    child.send({ ...this.told, plan } satisfies ChildPlan);
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (signal === 'SIGKILL') return { kind: 'crashed' };
    if (said[0]) return said[0];
    throw new Error(
      `the child process of life ${plan.life} exited with ${code ?? signal ?? 'nothing'} and said nothing`,
    );
  }

  async close(): Promise<void> {
    const spare = this.#spare;
    if (!spare) return;
    const exited = once(spare, 'exit');
    spare.kill('SIGKILL');
    await exited;
  }
}

function born(): ChildProcess {
  return fork(new URL('./life-child.js', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}
