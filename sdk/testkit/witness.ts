import type { Class, ToolDefinition } from '../../core/definition/definition.js';
import type { Provide } from '../../core/engine/instances.js';
import type { ToolCall } from '../../core/model/call.js';
import type { Json } from '../../core/model/json.js';
import type { RecordedCall } from './trace.js';
import { toolsOfScenario, type Scenario } from './scenario.js';

type Saw = (call: Omit<RecordedCall, 'life' | 'afterPoints'>) => void;
type Method = (input: object, call: ToolCall) => unknown;

/** A `provide` whose instances tell of every call that a tool really gets, before it gets it. */
export function witnessing(scenario: Scenario, saw: Saw): Provide {
  const tools = toolsOfScenario(scenario);
  return async (cls) => {
    const made = await (scenario.provide ?? construct)(cls);
    const own = tools.filter(({ owner }) => owner === cls);
    return own.length > 0 ? watched(made, own, saw) : made;
  };
}

/** The instance itself runs; only the reads of its tool methods go through here. */
function watched(instance: object, tools: readonly ToolDefinition[], saw: Saw): object {
  return new Proxy(instance, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function' || key === 'constructor') return member;
      const tool = tools.find(({ method }) => method === key);
      // Not the proxy: it has none of the private members.
      if (!tool) return (member as Method).bind(target);
      return (input: object, call: ToolCall): unknown => {
        const args = JSON.parse(JSON.stringify(input)) as Json;
        const { stepId, operationId, attempt } = call;
        saw({ tool: tool.spec.name, stepId, operationId, attempt, args });
        return (member as Method).call(target, input, call);
      };
    },
  });
}

function construct(cls: Class): object {
  return new (cls as unknown as new () => object)();
}
