import { InvalidJsonError, RunStateError } from '../errors.js';
import type { Approval } from '../model/approval.js';
import { canonicalJson } from '../model/canonical-json.js';
import type { Json } from '../model/json.js';
import { startTool, type JudgedCall } from '../model/moves/tool.js';
import { partialJson } from '../model/partial-json.js';
import type { CallApproval, ToolCall } from '../model/call.js';
import { describeThrown, isInstance } from '../model/text.js';
import type { ToolSpec } from '../model/tool.js';
import { resumption } from './judge.js';
import { observe, type Outcome } from './observe.js';
import type { PreparedCall } from './prepare.js';
import type { Session } from './session.js';

/**
 * Starts the tool and calls it: commit 3a, the call, commit 4 (contract I1).
 *
 * Between the commit and the call nothing is awaited; the lease is checked once more in that very tick (L4).
 */
export async function runTool(
  session: Session,
  call: PreparedCall,
  judged: JudgedCall,
  grant: Approval | null,
): Promise<void> {
  await session.commit((state, at, lease) => startTool(state, judged, resumption(grant, lease), at), true);
  if (session.run.status !== 'RUNNING') return;
  session.hold.assertLive();
  const { outcome, late } = await callTool(session, call, grant);
  await session.reached([outcome.kind === 'timeout' ? 'tool.timed_out' : 'tool.effect']);
  await observe(session, call.tool.spec, outcome, late);
}

/** What came of a call in time; and, if nothing did, what comes of it after all. */
interface Called {
  readonly outcome: Outcome;
  readonly late: Promise<Outcome> | null;
}

async function callTool(session: Session, call: PreparedCall, grant: Approval | null): Promise<Called> {
  const { hold, engine } = session;
  const { timeoutMs } = call.tool.spec;
  const abort = new AbortController();
  const over = new AbortController();
  hold.boundCall(timeoutMs, engine.options.heartbeat.ttlMs);
  let timer: NodeJS.Timeout | undefined;
  try {
    const info = toolCall(session, abort.signal, timeoutMs, grant);
    const returned = outcomeOf(call, info);
    const timedOut = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => {
        abort.abort(new DOMException(`the call exceeded its timeout of ${timeoutMs} ms`, 'TimeoutError'));
        resolve({ kind: 'timeout' });
      }, timeoutMs);
    });
    const outcome = await Promise.race([returned, timedOut, leaseLost(session, abort, over.signal)]);
    await assertInTime(session);
    return { outcome, late: outcome.kind === 'timeout' ? returned : null };
  } finally {
    clearTimeout(timer);
    over.abort();
    hold.unboundCall();
  }
}

/**
 * What comes of the call of a cancelled run is kept, whenever it comes (contract L9).
 *
 * @throws LeaseLostError
 */
async function assertInTime(session: Session): Promise<void> {
  try {
    session.hold.assertInTime();
  } catch (late) {
    if (!(await session.cancelled())) throw late;
  }
}

/** The call itself. Its first statement runs before anything is awaited. */
async function outcomeOf({ instance, input, tool }: PreparedCall, info: ToolCall): Promise<Outcome> {
  try {
    const method = (instance as Record<string, unknown>)[tool.method] as (input: object, call: ToolCall) => unknown;
    return resultOf(await method.call(instance, input, info), tool.spec);
  } catch (thrown) {
    return { kind: 'threw', thrown };
  }
}

function toolCall(session: Session, signal: AbortSignal, timeoutMs: number, grant: Approval | null): ToolCall {
  const { run, step, engine } = session;
  return {
    runId: run.id,
    stepId: step.id,
    operationId: step.operationId,
    attempt: step.attempt,
    agent: run.agent,
    signal,
    deadline: new Date(engine.store.clock.now() + timeoutMs),
    ...(grant ? { approval: callApproval(grant) } : {}),
  };
}

/** What a tool or a reconciliation is told of the grant. */
export function callApproval({ id, decidedBy, note }: Approval): CallApproval {
  return { id, decidedBy: decidedBy ?? '', note };
}

const UNREADABLE = { partial: null, omitted: [{ path: 'result', message: 'it could not be read' }] };

/** A tool that returns nothing has the result null. */
function resultOf(value: unknown, spec: ToolSpec): Outcome {
  try {
    return { kind: 'returned', result: JSON.parse(canonicalJson(value ?? null, 'result')) as Json };
  } catch (error) {
    // Whatever went wrong in reading it (a proxy may throw anything), the call itself did return.
    const { partial, omitted } = isInstance(error, InvalidJsonError) ? partialJson(value, 'result') : UNREADABLE;
    const { name, message: says } = describeThrown(error);
    const effect = spec.readOnly ? '' : ' The call itself took effect: do not make it again.';
    const message = `${spec.name} returned what JSON cannot hold: ${says}.${effect}`;
    const tookEffect = spec.readOnly ? {} : { tookEffect: true as const };
    return {
      kind: 'unrecordable',
      observation: { kind: 'error', name, message, ...tookEffect, partial, omitted },
    };
  }
}

/**
 * Rejects once the lease is lost (contract L5). After an operator's cancel it waits for the tool instead: what came of
 * the call is still worth recording (L9).
 */
function leaseLost(session: Session, abort: AbortController, over: AbortSignal): Promise<never> {
  const { signal } = session.hold;
  const lost = new Promise<never>((_, reject) => {
    const give = async (): Promise<void> => {
      const run = await session.cancelled();
      const why: Error = run ? new RunStateError(run.id, run.status, run.reason, 'continue') : (signal.reason as Error);
      abort.abort(why);
      if (!run) reject(why);
    };
    if (signal.aborted) void give();
    else signal.addEventListener('abort', () => void give(), { signal: over });
  });
  lost.catch(() => undefined);
  return lost;
}
