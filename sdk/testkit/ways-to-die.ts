import { fork } from 'node:child_process';
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

/** Lives lives, in one of the ways. */
export type Liver = (plan: LifePlan) => Promise<LifeEnd>;

export function parking(scenario: Scenario, trace: Trace): Liver {
  return (plan) =>
    live(scenario, trace, plan, async (opened) => {
      await abandon(opened);
      return { kind: 'crashed' };
    });
}

/** @throws InvalidArgumentError if another process could not load the scenario */
export function killing(source: ScenarioSource, dir: string, trace: string): Liver {
  if (!isModule(source)) {
    throw new InvalidArgumentError(`to die by kill, give the scenario as { module: import.meta.url, name: '…' }`);
  }
  const child = { module: String(source.module), ...(source.name === undefined ? {} : { name: source.name }) };
  return (plan) => liveInChild({ source: child, dir, trace, plan });
}

async function liveInChild(told: ChildPlan): Promise<LifeEnd> {
  const child = fork(new URL('./life-child.js', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const said: LifeEnd[] = [];
  child.on('message', (message) => said.push(message as LifeEnd));
  child.send(told);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal === 'SIGKILL') return { kind: 'crashed' };
  if (said[0]) return said[0];
  throw new Error(
    `the child process of life ${told.plan.life} exited with ${code ?? signal ?? 'nothing'} and said nothing`,
  );
}
