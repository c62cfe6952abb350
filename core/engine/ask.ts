import { describeThrown } from '../model/text.js';
import { copyOf } from '../model/json.js';
import { readPolicyDecision, type ReadPolicy } from '../model/policy.js';
import type { StepInput } from '../model/agent.js';
import type { ToolDefinition } from '../definition/definition.js';
import type { Json } from '../model/json.js';
import type { Session } from './session.js';

/** An answer of a user's code, or what it threw. */
export type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** A call that was checked against its tool's input class. */
export interface CheckedCall {
  readonly tool: ToolDefinition;
  readonly args: Json;
  readonly reason: string | null;
}

/**
 * Asks the agent what to do next. It gets copies (contract P4).
 *
 * @throws LeaseLostError as soon as the lease is lost, even if the agent never answers (L5)
 */
export async function askAgent(session: Session): Promise<Answer> {
  const { agent, state, hold } = session;
  const instance = (await session.instance(agent.cls)) as { decide(input: StepInput): unknown };
  const input: StepInput = {
    ...copyOf({ run: state.run, steps: state.earlier, approvals: session.approvals }),
    tools: copyOf([...agent.tools.values()].map(({ spec }) => spec)),
    signal: hold.signal,
  };
  return answerOf(session, () => instance.decide(input));
}

/** Asks the policy about a call. It gets copies (contract P1, P4). */
export async function askPolicy(session: Session, { tool, args, reason }: CheckedCall): Promise<ReadPolicy> {
  const { run, step, engine } = session;
  const { id: stepId, operationId, attempt, cause: interrupted } = step;
  const request = copyOf({ stepId, operationId, tool: tool.spec, args, reason, attempt, interrupted });
  const answer = await answerOf(session, () => engine.options.policy(request, copyOf(run)));
  return answer.ok ? readPolicyDecision(answer.value) : { ok: false, message: `the policy threw: ${answer.message}` };
}

/**
 * Asks a user's code that may hang, and gives up after `timeoutMs`.
 *
 * @throws LeaseLostError as soon as the lease is lost
 */
export async function askUser(session: Session, ask: () => unknown, timeoutMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await answerOf(session, () => Promise.race([ask(), late]));
  } finally {
    clearTimeout(timer);
  }
}

/** What a user's code answers, unless the lease is lost. */
async function answerOf(session: Session, ask: () => unknown): Promise<Answer> {
  const came = await session.unlessLost(ask);
  if (came.ok) return came;
  const { name, message } = describeThrown(came.thrown);
  return { ok: false, message: `${name}: ${message}` };
}
