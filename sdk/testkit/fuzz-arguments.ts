import { reviveArguments, validateArguments } from '../../core/definition/arguments.js';
import type { Class, ToolDefinition } from '../../core/definition/definition.js';
import { toolsOf } from '../../core/definition/tools.js';
import { InvalidArgumentError } from '../../core/errors.js';
import type { JsonObject } from '../../core/model/json.js';
import { hostileTexts, nearMisses, type Probe } from './near-misses.js';
import { samplesOf } from './samples.js';

/** What is fuzzed. */
export interface FuzzOptions {
  /** Arguments that are valid; what is refused is made by changing them. Default: made from the tool's schema. */
  readonly valid?: readonly object[];
  /** Which tool, if the class declares several. */
  readonly name?: string;
}

/** Arguments that were treated otherwise than they should be. */
export interface Leak {
  /** What was tried, e.g. `amountCents: a string instead`. */
  readonly what: string;
  readonly problem: string;
}

/** What fuzzing found. */
export interface FuzzReport {
  /** Valid arguments that came through. */
  readonly accepted: number;
  /** Near misses and hostile JSON that did not. */
  readonly refused: number;
  /** Assert that there are none. */
  readonly leaks: readonly Leak[];
}

/**
 * Fuzzes the arguments of a tool. Valid ones must come through as an instance of the input class: those given, or those
 * made from its schema (every member, the required ones only, each member at each of its bounds). Near misses (a missing
 * or unknown member, another type, a value out of bounds or outside an enum, a text against its pattern or format, too
 * many items; also within nested objects and lists) and hostile JSON must be refused before the tool. A near miss that
 * the schema itself allows is not one.
 *
 * @throws InvalidArgumentError if the class declares several tools and none is named, or no valid arguments are given
 * and none can be made
 */
export async function fuzzArguments(toolClass: Class, { valid, name }: FuzzOptions = {}): Promise<FuzzReport> {
  const tool = toolOf(toolClass, name);
  const given = valid ?? (await made(tool));
  if (given.length === 0) throw new InvalidArgumentError('give at least one valid set of arguments');
  const lost: Leak[] = [];
  for (const [place, args] of given.entries()) lost.push(...(await accepted(tool, `valid arguments ${place}`, args)));
  const changed = valid ?? given.slice(0, CHANGED);
  const probes = changed.flatMap((args) => [
    ...nearMisses(args as JsonObject, tool.spec.inputSchema),
    ...hostileTexts(args),
  ]);
  const passed: Leak[] = [];
  for (const probe of probes) passed.push(...(await refused(tool, probe)));
  return {
    accepted: given.length - lost.length,
    refused: probes.length - passed.length,
    leaks: [...lost, ...passed],
  };
}

/** How many of the arguments that were made are also changed: those with every member, and with the required ones only. */
const CHANGED = 2;

/** Those of the schema's samples that validation, which may say more, accepts. */
async function made(tool: ToolDefinition): Promise<object[]> {
  const found: object[] = [];
  let problem = 'its schema allows nothing that could be found';
  for (const sample of samplesOf(tool.spec.inputSchema)) {
    const checked = await validateArguments(tool.input, sample);
    if (checked.ok) found.push(sample);
    else problem = checked.message;
  }
  if (found.length > 0) return found;
  throw new InvalidArgumentError(
    `no valid arguments of ${tool.spec.name} could be made from its schema: ${problem}; give some as { valid: [...] }`,
  );
}

async function accepted(tool: ToolDefinition, what: string, args: object): Promise<Leak[]> {
  const checked = await validateArguments(tool.input, args);
  if (!checked.ok) return [{ what, problem: checked.message }];
  const revived = await reviveArguments(tool.input, checked.value);
  if (!revived.ok) return [{ what, problem: revived.message }];
  return revived.value instanceof tool.input.cls ? [] : [{ what, problem: 'the tool would not get an instance' }];
}

async function refused(tool: ToolDefinition, { what, args }: Probe): Promise<Leak[]> {
  const checked = await validateArguments(tool.input, args);
  return checked.ok ? [{ what, problem: 'was accepted' }] : [];
}

function toolOf(cls: Class, name: string | undefined): ToolDefinition {
  const tools = toolsOf(cls);
  const [tool, ...more] = name === undefined ? tools : tools.filter(({ spec }) => spec.name === name);
  if (tool && more.length === 0) return tool;
  throw new InvalidArgumentError(`name one of its tools: ${tools.map(({ spec }) => spec.name).join(', ')}`);
}
