import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect } from 'chai';
import { Agent, type AgentOptions } from '../../../decorators/agent.js';
import { defineAgents } from '../../../core/definition/agents.js';
import { validateArguments } from '../../../core/definition/arguments.js';
import type { AgentDefinition, Checked, InputDefinition, ToolDefinition } from '../../../core/definition/definition.js';
import { inputOf } from '../../../core/definition/input.js';
import type { InputClass } from '../../../core/definition/shape.js';
import { DefinitionError } from '../../../core/errors.js';
import type { Problem } from '../../../core/model/step.js';

/** The definition of an input class, as a tool with `input: cls` has it. */
export function defineInput(cls: InputClass): InputDefinition {
  return inputOf({ owner: cls, method: 'execute', reconcile: null, given: cls, advice: '@Tool(…)' });
}

/** The one agent that has these tools. */
export function agentWith(tools: AgentOptions['tools'], provided = false): AgentDefinition {
  @Agent({ name: 'tester', tools })
  class Tester {
    decide(): null {
      return null;
    }
  }
  return defineAgents([Tester], { provided }).get('tester')!;
}

/** The tools of one class, by name. */
export function toolsOf(cls: AgentOptions['tools'][number], provided = false): ReadonlyMap<string, ToolDefinition> {
  return agentWith([cls], provided).tools;
}

/** The message of the DefinitionError that this throws. */
export function refusal(define: () => unknown): string {
  try {
    define();
  } catch (error) {
    expect(error).to.be.instanceOf(DefinitionError);
    return (error as DefinitionError).message;
  }
  return expect.fail('nothing was refused');
}

export function accepted<T>(checked: Checked<T>): T {
  if (!checked.ok) expect.fail(`refused: ${JSON.stringify(checked.problems)}`);
  return checked.value;
}

/** Each problem as `path: message`. */
export function refused(checked: Checked<unknown>): string[] {
  if (checked.ok) expect.fail(`accepted: ${JSON.stringify(checked.value)}`);
  return checked.problems.map(({ path, message }: Problem) => `${path}: ${message}`);
}

/** The problems with what an agent asks for, each as `path: message`. */
export async function problemsWith(raw: unknown, input: InputDefinition): Promise<string[]> {
  return refused(await validateArguments(input, raw));
}

/** What a JSON Schema accepts. */
export function compile(schema: object, validateFormats = false): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats });
  if (validateFormats) ajvFormats.default(ajv);
  return ajv.compile(schema);
}
