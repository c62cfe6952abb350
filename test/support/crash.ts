import { callTool, type Approval, type Class, type Reconciliation, type Run, type RuntimeOptions } from 'holdpoint';
import {
  Reconcile,
  Agent,
  Tool,
  type InterruptedCall,
  type StepInput,
  type ToolCall,
  type ToolOptions,
} from 'holdpoint';
import { hangingCall, NoteInput, type Act } from './agents.js';
import { rejection, World, type Mortal } from './world.js';

/** What the outside world saw: every call of a tool, and every question of a reconciliation. */
export interface Outside {
  readonly calls: { readonly operationId: string; readonly attempt: number; readonly input: NoteInput }[];
  readonly asked: { readonly by: 'tool' | 'agent'; readonly call: InterruptedCall; readonly input: NoteInput }[];
  readonly seen: StepInput[];
}

/** How the agent of a crash scenario is built. */
export interface Build {
  readonly readOnly?: boolean;
  readonly options?: ToolOptions;
  readonly act?: Act;
  readonly reconcile?: (call: InterruptedCall) => unknown;
  readonly agentReconcile?: (call: InterruptedCall) => unknown;
  /** Its decisions, by number of steps before; default one call of `send`, then complete with the last observation. */
  readonly decide?: (step: StepInput) => unknown;
}

/** An agent `mailer` with one tool `send`, whose calls are seen from outside. */
export function mailer(outside: Outside, build: Build = {}): Class {
  const tool = build.reconcile ? reconciledTool(outside, build) : plainTool(outside, build);
  const decide = build.decide ?? sendOnce;
  @Agent({ name: 'mailer', tools: [tool] })
  class Mailer {
    decide(step: StepInput): never {
      outside.seen.push(step);
      return decide(step) as never;
    }
  }
  if (!build.agentReconcile) return Mailer;
  const settle = build.agentReconcile;
  @Agent({ name: 'mailer', tools: [tool] })
  class Reconciling extends Mailer {
    @Reconcile()
    look(input: NoteInput, call: InterruptedCall): Reconciliation {
      outside.asked.push({ by: 'agent', call, input });
      return settle(call) as Reconciliation;
    }
  }
  return Reconciling;
}

export function outside(): Outside {
  return { calls: [], asked: [], seen: [] };
}

/** Calls `send` until a call has a result or was settled otherwise, then completes with what it saw last. */
export function sendOnce(step: StepInput): unknown {
  const last = step.steps.at(-1);
  if (!last) return callTool('send', { text: 'hello' }, 'because');
  return { kind: 'complete', result: JSON.parse(JSON.stringify(last.observation)) as unknown };
}

function plainTool(outside: Outside, { readOnly = false, options = {}, act = () => 'sent' }: Build): Class {
  @Tool(readOnly, { input: NoteInput, name: 'send', ...options } as ToolOptions)
  class Send {
    execute(input: NoteInput, call: ToolCall): unknown {
      outside.calls.push({ operationId: call.operationId, attempt: call.attempt, input });
      return act(input, call);
    }
  }
  return Send;
}

function reconciledTool(outside: Outside, { options = {}, act = () => 'sent', reconcile }: Build): Class {
  @Tool(false, { input: NoteInput, name: 'send', ...options } as ToolOptions)
  class Send {
    execute(input: NoteInput, call: ToolCall): unknown {
      outside.calls.push({ operationId: call.operationId, attempt: call.attempt, input });
      return act(input, call);
    }

    @Reconcile()
    look(input: NoteInput, call: InterruptedCall): unknown {
      outside.asked.push({ by: 'tool', call, input });
      return reconcile?.(call);
    }
  }
  return Send;
}

/** A run whose process died while its tool was running, and whose lease has run out. */
export interface Crashed {
  readonly runId: string;
  readonly dead: Mortal;
  /** Lets the dead process's tool return; resolves to what its loop then rejects with. */
  readonly wake: (result?: unknown) => Promise<Error>;
}

/** Starts the mailer and lets its process die in the call of `send`. */
export async function crashInTool(
  world: World,
  seen: Outside,
  build: Build = {},
  options: Partial<RuntimeOptions> = {},
  runId = 'crashed',
): Promise<Crashed> {
  const { started, hang, act } = hangingCall();
  const dead = await world.open([mailer(seen, { ...build, act })], options);
  const rejected = rejection(dead.runtime.start('mailer', { goal: 'send a note', id: runId }));
  await started.promise;
  dead.dieAfter(0);
  world.expireLeases();
  const wake = (result: unknown = 'late'): Promise<Error> => {
    hang.open(result);
    return rejected;
  };
  world.atClose(() => wake());
  return { runId, dead, wake };
}

/** The approval that a run waits for. */
export async function waitingApproval({ runtime }: Mortal, run: Run): Promise<Approval> {
  const [approval] = await runtime.client.approvals.list({ runId: run.id, status: 'pending' });
  if (!approval) throw new Error(`run ${run.id} is ${run.status} and waits for nobody`);
  return approval;
}
