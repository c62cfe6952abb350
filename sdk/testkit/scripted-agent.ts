import { Agent } from '../../decorators/agent.js';
import { InvalidArgumentError } from '../../core/errors.js';
import type { StepInput } from '../../core/model/agent.js';
import type { Decision } from '../../core/model/decision.js';

/** What a scripted agent has and does. */
export interface Script {
  /** Default `scripted`. */
  readonly name?: string;
  readonly tools?: readonly (new (...args: never[]) => object)[];
}

/**
 * An agent that makes these decisions in order, one a step: the first while no step is recorded, and so on. One may be a
 * function of what the agent is shown. A step that was interrupted or failed counts like any other.
 *
 * @throws InvalidArgumentError if there is none
 */
export function scriptedAgent(
  decisions: readonly (Decision | ((step: StepInput) => Decision))[],
  { name = 'scripted', tools = [] }: Script = {},
): new () => { decide(step: StepInput): Decision } {
  const last = decisions.at(-1);
  if (last === undefined) throw new InvalidArgumentError('a scripted agent needs at least one decision');
  @Agent({ name, tools })
  class ScriptedAgent {
    /** After the last decision it keeps to that one. */
    decide(step: StepInput): Decision {
      const decision = decisions[step.steps.length] ?? last ?? { kind: 'complete' };
      return typeof decision === 'function' ? decision(step) : decision;
    }
  }
  return ScriptedAgent;
}
