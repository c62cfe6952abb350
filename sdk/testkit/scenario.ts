import type { Class } from '../../core/definition/definition.js';
import { InvalidArgumentError } from '../../core/errors.js';
import type { Approval } from '../../core/model/approval.js';
import type { Json } from '../../core/model/json.js';
import type { RuntimeOptions } from '../runtime-options.js';

/** What the operator of a scenario answers. */
export type Answer = 'approve' | 'reject' | 'leave' | { readonly settle: Json };

/** A run to be crashed: an agent with its goal, its surroundings, and the person who decides. */
export interface Scenario extends Pick<
  RuntimeOptions,
  'agents' | 'provide' | 'policy' | 'limits' | 'approvalTtlMs' | 'grantTtlMs' | 'observer'
> {
  /** Which of the agents runs. */
  readonly agent: Class | string;
  readonly goal: string;
  /** Answers every question; default `leave`, which ends the scenario WAITING. */
  readonly operator?: (approval: Approval) => Answer | Promise<Answer>;
}

/**
 * Makes a scenario. `dir` is a folder for what must outlive a process: the outside world's files. It is empty for the
 * first life only: every further process makes the scenario again over what the one before it left.
 */
export type MakeScenario = (dir: string) => Scenario | Promise<Scenario>;

/** A scenario that another process can load: the module's URL, and what it exports it as (default `scenario`). */
export interface ScenarioModule {
  readonly module: string | URL;
  readonly name?: string;
}

export type ScenarioSource = Scenario | MakeScenario | ScenarioModule;

/** Makes the scenario of a source for one run of it. */
export async function makeScenario(source: ScenarioSource, dir: string): Promise<Scenario> {
  const made: unknown = isModule(source) ? await exported(source) : source;
  if (typeof made === 'function') return (await (made as MakeScenario)(dir)) satisfies Scenario;
  if (typeof made === 'object' && made !== null && 'agents' in made) return made as Scenario;
  throw new InvalidArgumentError(
    'a scenario must be an object with agents, agent and goal, or a function that makes one',
  );
}

export function isModule(source: ScenarioSource): source is ScenarioModule {
  return typeof source === 'object' && 'module' in source;
}

async function exported({ module, name = 'scenario' }: ScenarioModule): Promise<unknown> {
  const exports = (await import(String(module))) as Record<string, unknown>;
  if (name in exports) return exports[name];
  throw new InvalidArgumentError(`${String(module)} exports no ${name}`);
}
