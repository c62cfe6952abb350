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
 * An agent that makes these decisions in order, each until it has come to something: a step that was interrupted is
 * decided the same way again, so a script can be crashed. One may be a function of what the agent is shown.
 *
 * A script ends with `complete()` or `fail()`: asked for more than it has, it throws, which fails the run as `agent_error`.
 *
 * @throws InvalidArgumentError if there is none
 */
export function scriptedAgent(
  decisions: readonly (Decision | ((step: StepInput) => Decision))[],
  { name = 'scripted', tools = [] }: Script = {},
): new () => { decide(step: StepInput): Decision } {
  if (decisions.length === 0) throw new InvalidArgumentError('a scripted agent needs at least one decision');
  @Agent({ name, tools })
  class ScriptedAgent {
    decide(step: StepInput): Decision {
      const place = step.steps.filter(({ observation }) => observation?.kind !== 'interrupted').length;
      const decision = decisions[place];
      if (decision !== undefined) return typeof decision === 'function' ? decision(step) : decision;
      throw new Error(`the script of ${name} has ${decisions.length} decisions, and is asked for one more`);
    }
  }
  return ScriptedAgent;
}
