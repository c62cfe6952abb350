import { rebuildArguments, reviveArguments, validateArguments } from '../definition/arguments.js';
import type { Checked } from '../definition/definition.js';
import type { ToolDecision } from '../model/decision.js';
import type { Problem } from '../model/step.js';
import { describeThrown } from '../model/text.js';
import type { CheckedCall } from './ask.js';
import type { Session } from './session.js';

/** Why a call cannot be made. */
export interface Refused {
  readonly ok: false;
  readonly message: string;
  readonly problems: readonly Problem[];
  /** Set if the program is at fault, not what the agent asked for. */
  readonly fault?: true;
  /** Set if a validator threw: whether the arguments are valid is not known. */
  readonly threw?: true;
}

/** A call with all that it needs to be made at once. */
export interface PreparedCall extends CheckedCall {
  /** An instance of the tool's class. */
  readonly instance: object;
  /** A fresh instance of its input class. */
  readonly input: object;
}

export type Prepared = (PreparedCall & { readonly ok: true }) | Refused;

/** Checks what the agent asked for against the tool's input class (contract P3). */
export async function checkCall(
  session: Session,
  decision: ToolDecision,
): Promise<(CheckedCall & { readonly ok: true }) | Refused> {
  const tool = session.agent.tools.get(decision.tool);
  if (!tool) return unknownTool(session, decision.tool);
  const checked = await validated(session, () => validateArguments(tool.input, decision.args));
  if (!checked.ok) return checked;
  return { ok: true, tool, args: checked.value, reason: decision.reason ?? null };
}

/** Makes the instances that a call needs, from what is recorded: exactly the arguments that were judged and shown (F14). */
export async function prepareCall(session: Session, call: CheckedCall): Promise<Prepared> {
  return withInstance(session, call, await validated(session, () => reviveArguments(call.tool.input, call.args)));
}

/** The same for a reconciliation of a call that was made: its arguments were valid then, and are not judged again (I4). */
export async function prepareQuestion(session: Session, call: CheckedCall): Promise<Prepared> {
  return withInstance(session, call, await validated(session, () => rebuildArguments(call.tool.input, call.args)));
}

async function withInstance(session: Session, call: CheckedCall, revived: Checked<object>): Promise<Prepared> {
  if (!revived.ok) return revived;
  const made = await session.made(call.tool.owner);
  if (made.ok) return { ok: true, ...call, input: revived.value, instance: made.value };
  return { ok: false, fault: true, message: describeThrown(made.thrown).message, problems: [] };
}

/** Validators and transforms are a user's code: they may hang, and make what cannot be read. */
async function validated<T>(session: Session, check: () => Promise<Checked<T>>): Promise<Checked<T>> {
  const came = await session.unlessLost(check);
  if (came.ok) return came.value;
  const message = `could not be checked: ${describeThrown(came.thrown).message}`;
  return { ok: false, threw: true, message: `the arguments ${message}`, problems: [{ path: 'args', message }] };
}

/** The call that a step has recorded, or why it can no longer be made (contract I7). */
export function recordedCall(session: Session): CheckedCall | Refused {
  const { step, agent } = session;
  const tool = agent.tools.get(step.tool ?? '');
  if (!tool) return unknownTool(session, step.tool ?? '');
  const { decision } = step;
  const reason = typeof decision === 'object' && decision !== null && 'reason' in decision ? decision.reason : null;
  return { tool, args: step.args, reason: typeof reason === 'string' ? reason : null };
}

function unknownTool(session: Session, name: string): Refused {
  const known = [...session.agent.tools.keys()].join(', ');
  const message = `there is no tool ${JSON.stringify(name)}; the tools are: ${known || 'none'}`;
  return { ok: false, message, problems: [{ path: 'tool', message }] };
}
