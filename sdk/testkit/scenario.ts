import { defineAgents } from '../../core/definition/agents.js';
import type { Class, ToolDefinition } from '../../core/definition/definition.js';
import { InvalidArgumentError } from '../../core/errors.js';
import type { Approval } from '../../core/model/approval.js';
import type { Json } from '../../core/model/json.js';
import * as check from '../arguments.js';
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
 * Makes a scenario, once for each process: what it keeps in memory dies with that. `dir` is a folder for what must outlive
 * a process, the outside world's files; it is empty at first.
 */
export type MakeScenario = (dir: string) => Scenario | Promise<Scenario>;

/** A scenario that another process can load: the module's URL, and what it exports it as (default `scenario`). */
export interface ScenarioModule {
  readonly module: string | URL;
  readonly name?: string;
}

export type ScenarioSource = Scenario | MakeScenario | ScenarioModule;

const MEMBERS = [
  'agents',
  'agent',
  'goal',
  'provide',
  'policy',
  'limits',
  'approvalTtlMs',
  'grantTtlMs',
  'observer',
  'operator',
];

/**
 * Makes the scenario of a source for one life.
 *
 * @throws InvalidArgumentError if it is none
 */
export async function makeScenario(source: ScenarioSource, dir: string): Promise<Scenario> {
  const made: unknown = isModule(source) ? await exported(source) : source;
  const scenario: unknown = typeof made === 'function' ? await (made as MakeScenario)(dir) : made;
  const { agents, agent, goal, operator } = check.members(scenario, 'scenario', MEMBERS);
  if (!Array.isArray(agents)) throw new InvalidArgumentError('scenario.agents must be a list of agent classes');
  if (typeof agent !== 'string' && typeof agent !== 'function') {
    throw new InvalidArgumentError('scenario.agent must be one of its agent classes, or its name');
  }
  check.goal(goal);
  if (operator !== undefined && typeof operator !== 'function') {
    throw new InvalidArgumentError(`scenario.operator must be a function that answers, e.g. () => 'approve'`);
  }
  return scenario as Scenario;
}

/** Every tool of a scenario's agents. */
export function toolsOfScenario({ agents, provide }: Scenario): ToolDefinition[] {
  const defined = defineAgents(agents, { provided: provide !== undefined });
  return [...defined.values()].flatMap(({ tools }) => [...tools.values()]);
}

/** What the operator answers to a question. @throws InvalidArgumentError if it is no answer */
export async function answerOf({ operator }: Scenario, approval: Approval): Promise<Answer> {
  if (!operator) return 'leave';
  const answer: unknown = await operator(approval);
  if (answer === 'approve' || answer === 'reject' || answer === 'leave') return answer;
  if (typeof answer === 'object' && answer !== null && 'settle' in answer && answer.settle !== undefined) {
    return answer as Answer;
  }
  const given = typeof answer === 'string' ? JSON.stringify(answer) : describeType(answer);
  throw new InvalidArgumentError(
    `scenario.operator answered ${given} to ${approval.kind}; answer 'approve', 'reject', 'leave' or { settle: result }`,
  );
}

function describeType(value: unknown): string {
  return value === undefined ? 'nothing' : `a ${typeof value}`;
}

export function isModule(source: ScenarioSource): source is ScenarioModule {
  return typeof source === 'object' && (source as object | null) !== null && 'module' in source;
}

async function exported({ module, name = 'scenario' }: ScenarioModule): Promise<unknown> {
  const url = String(module);
  if (!URL.canParse(url)) {
    throw new InvalidArgumentError(
      `the scenario's module must be a URL, e.g. import.meta.url or new URL('./a.scenario.js', import.meta.url); found ${url}`,
    );
  }
  const exports = (await import(url)) as Record<string, unknown>;
  if (name in exports) return exports[name];
  throw new InvalidArgumentError(`${url} exports no ${name}`);
}
