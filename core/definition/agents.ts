import { declarationsOf } from '../../decorators/metadata.js';
import { DefinitionError } from '../errors.js';
import type { AgentDefinition, Class, ToolDefinition } from './definition.js';
import { isClass } from './input.js';
import { hasMethod, refuseTwice } from './members.js';
import { Options, shown } from './options.js';
import { agentReconciliationOf } from './reconciliations.js';
import { nameOf } from './shape.js';
import { toolsOf } from './tools.js';

const OPTIONS = ['name', 'description', 'tools'];

export interface DefineOptions {
  /** Whether the program says how instances are made. If not, they are made with `new` and no arguments. */
  readonly provided: boolean;
}

/**
 * Reads and checks every agent of a program, by name.
 *
 * All of it is judged here, before anything is started: what is wrong later is wrong with data, not with a declaration.
 *
 * @throws DefinitionError naming the class and what to write
 */
export function defineAgents(
  classes: readonly unknown[],
  options: DefineOptions,
): ReadonlyMap<string, AgentDefinition> {
  const agents = new Map<string, AgentDefinition>();
  refuseRepeated(classes, 'agents');
  for (const cls of classes) {
    const agent = defineAgent(cls, options);
    const other = agents.get(agent.name);
    if (other) {
      throw new DefinitionError(
        `${nameOf(other.cls)} and ${nameOf(agent.cls)} are both named ${shown(agent.name)}; give each agent its own name`,
      );
    }
    agents.set(agent.name, agent);
  }
  return agents;
}

function defineAgent(given: unknown, { provided }: DefineOptions): AgentDefinition {
  const cls = classIn(given, 'agents');
  const declarations = declarationsOf(cls, 'agent');
  refuseTwice(cls, declarations);
  const declared = declarations.at(-1);
  if (declared?.place.kind !== 'class') {
    throw new DefinitionError(`${nameOf(cls)} is no agent: write @Agent({ name: '…', tools: […] }) above the class`);
  }
  if (!hasMethod(cls, 'decide')) {
    throw new DefinitionError(
      `${nameOf(cls)} has @Agent and no method decide(step); a field that holds a function does not count`,
    );
  }
  if (declarationsOf(cls, 'tool').length > 0) {
    throw new DefinitionError(`${nameOf(cls)} has both @Agent and @Tool; move its tools to a class of their own`);
  }
  refuseParameters(cls, provided);
  const options = new Options(nameOf(cls), declared.given.options, OPTIONS);
  return Object.freeze({
    name: options.name(),
    description: options.description(),
    cls,
    tools: toolsByName(cls, options.raw('tools'), provided),
    reconcile: agentReconciliationOf(cls),
  });
}

function toolsByName(agent: Class, given: unknown, provided: boolean): ReadonlyMap<string, ToolDefinition> {
  if (!Array.isArray(given))
    throw new DefinitionError(`${nameOf(agent)}: the option tools must be an array of classes, not ${shown(given)}`);
  const where = `the tools of ${nameOf(agent)}`;
  refuseRepeated(given, where);
  const tools = new Map<string, ToolDefinition>();
  for (const entry of given as readonly unknown[]) {
    const cls = classIn(entry, where);
    refuseParameters(cls, provided);
    for (const tool of toolsOf(cls)) {
      const other = tools.get(tool.spec.name);
      if (other) {
        throw new DefinitionError(
          `${nameOf(agent)} has two tools named ${shown(tool.spec.name)}: ${placeOf(other)} and ${placeOf(tool)}; ` +
            'give one of them the option name',
        );
      }
      tools.set(tool.spec.name, tool);
    }
  }
  return tools;
}

function classIn(given: unknown, list: string): Class {
  if (isClass(given)) return given;
  const made: unknown = typeof given === 'object' && given !== null ? given.constructor : undefined;
  const hint =
    isClass(made) && made !== Object && made !== Array ? `; write ${nameOf(made)}, not an instance of it` : '';
  throw new DefinitionError(`${list} must be classes, not ${shown(given)}${hint}`);
}

function refuseRepeated(classes: readonly unknown[], list: string): void {
  const repeated = classes.find((cls, index) => classes.indexOf(cls) < index);
  if (repeated !== undefined) throw new DefinitionError(`${shown(repeated)} stands twice in ${list}; list it once`);
}

/** A class that extends another without a constructor of its own shows no parameters; that one fails when it is made. */
function refuseParameters(cls: Class, provided: boolean): void {
  if (provided || cls.length === 0) return;
  throw new DefinitionError(
    `the constructor of ${nameOf(cls)} has parameters: say how it is made, with provide: (cls) => … when the runtime opens`,
  );
}

function placeOf({ owner, method }: ToolDefinition): string {
  return `${nameOf(owner)}.${method}`;
}
