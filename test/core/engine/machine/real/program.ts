import { IsInt, Max } from 'class-validator';
import {
  abort,
  AbortRunError,
  Agent,
  allow,
  defaultPolicy,
  deny,
  OutcomeUnknownError,
  Reconcile,
  Reconciliation,
  requireApproval,
  Tool,
  type Class,
  type InterruptedCall,
  type Policy,
  type PolicyDecision,
  type StepInput,
  type ToolCall,
  type ToolOptions,
} from 'holdpoint';
import {
  ANSWERS,
  callDecision,
  FOUND,
  hasTool,
  isReadOnly,
  RECEIPT,
  RESULTS,
  STRICT_MAX,
  TOOLS,
  traitOf,
  WHY,
  type Choice,
  type Finding,
  type Outcome,
  type Revision,
  type ToolName,
  type Verdict,
} from '../vocabulary.js';
import type { Desk } from './desk.js';
import { approvalLine, stepLine } from './lines.js';

/**
 * The program that a process runs: an agent, its tools and a policy that ask the desk what to say.
 *
 * Each spoils what it was given before it answers: it had a copy, so nothing of that is ever seen again (P4).
 */

class Input {
  @IsInt()
  x!: number;
}

class StrictInput {
  @IsInt()
  @Max(STRICT_MAX)
  x!: number;
}

export const AGENT = 'clerk';

/** The agent of a revision, with its tools. */
export function agentOf(revision: Revision, reconciles: boolean, desk: Desk): Class {
  const names = (Object.keys(TOOLS) as ToolName[]).filter((name) => hasTool(revision, name));
  const tools = names.map((name) => toolOf(name, revision, desk));

  @Agent({ name: AGENT, tools })
  class Clerk {
    async decide(step: StepInput): Promise<never> {
      const { run, steps, approvals } = step;
      const shows = `${run.status}; ${steps.map(stepLine).join(', ')}; ${approvals.map(approvalLine).join(', ')}`;
      spoil(step);
      return decisionOf((await desk.ask('agent', shows)) as Choice) as never;
    }
  }
  if (!reconciles) return Clerk;

  @Agent({ name: AGENT, tools })
  class ReconcilingClerk extends Clerk {
    @Reconcile()
    async lookUp(input: Input, call: InterruptedCall): Promise<Reconciliation> {
      return reconcile('agent', input, call, desk);
    }
  }
  return ReconcilingClerk;
}

export function policyOf(desk: Desk): Policy {
  return async (request, run) => {
    const { tool, args, attempt, interrupted, operationId } = request;
    desk.outside.tools.set(operationId, tool.name as ToolName);
    const { x } = args as { x: number };
    const shows = `${run.status}; ${tool.name} ${x}; ${attempt} calls before, interrupted: ${interrupted ?? 'no'}`;
    const byDefault = await defaultPolicy(request, run);
    spoil(request, run);
    return rulingOf((await desk.ask('policy', shows)) as Verdict, byDefault);
  };
}

function toolOf(name: ToolName, revision: Revision, desk: Desk): Class {
  const trait = traitOf(name);
  const options = {
    name,
    description: revision === 'reworded' ? 'in other words' : '',
    input: revision === 'strict' ? StrictInput : Input,
    terminal: trait.terminal ?? false,
    ...(trait.effect === 'none' ? {} : { effect: trait.effect }),
    ...(trait.stuck ? { timeoutMs: 1 } : {}),
  } as ToolOptions;

  class Plain {
    async execute(input: Input, call: ToolCall): Promise<unknown> {
      const grant = call.approval ? `, by approval ${call.approval.id}` : '';
      const shows = `${name} ${input.x}; step ${call.operationId}, attempt ${call.attempt}${grant}`;
      desk.outside.calls.push(shows);
      spoil(input, call);
      return resultOf((await (trait.stuck ? desk.stick() : desk.ask('tool', shows))) as Outcome);
    }
  }
  if (trait.reconciles) return reconciling(Plain, options, desk);
  Tool(isReadOnly(name), options)(Plain);
  return Plain;
}

type Executes = new () => { execute(input: Input, call: ToolCall): Promise<unknown> };

function reconciling(Plain: Executes, options: ToolOptions, desk: Desk): Class {
  @Tool(false, options)
  class Reconciling extends Plain {
    @Reconcile()
    async lookUp(input: Input, call: InterruptedCall): Promise<Reconciliation> {
      return reconcile('tool', input, call, desk);
    }
  }
  return Reconciling;
}

async function reconcile(by: string, input: Input, call: InterruptedCall, desk: Desk): Promise<Reconciliation> {
  const name = desk.outside.tools.get(call.operationId)!;
  if (traitOf(name).stuck) return new Promise(() => {});
  const grant = call.approval ? `, by approval ${call.approval.id}` : '';
  const shows = `${by}; ${name} ${input.x}; step ${call.operationId}, attempt ${call.attempt}${grant}; ${call.cause}`;
  spoil(input, call);
  return findingOf((await desk.ask('reconciliation', shows)) as Finding);
}

function decisionOf(choice: Choice): unknown {
  if (choice === 'throw') throw new Error('the agent failed');
  return typeof choice === 'object' ? callDecision(choice) : ANSWERS[choice].says;
}

function rulingOf(verdict: Verdict, byDefault: PolicyDecision): PolicyDecision {
  switch (verdict) {
    case 'allow':
      return allow();
    case 'deny':
      return deny('not today');
    case 'ask':
      return requireApproval();
    case 'ask otherwise':
      return requireApproval({ kind: 'second_look', presentation: WHY });
    case 'abort':
      return abort('enough');
    case 'default':
      return byDefault;
    case 'throw':
      throw new Error('the policy failed');
    case 'reserved':
      return requireApproval({ kind: 'interrupted_side_effect' });
    case 'maybe':
      return { kind: 'maybe' } as unknown as PolicyDecision;
  }
}

function resultOf(outcome: Outcome): unknown {
  switch (outcome) {
    case 'unencodable':
      return { n: NaN };
    case 'error':
      throw new Error('declined');
    case 'text thrown':
      throw 'declined';
    case 'unknown':
      throw new OutcomeUnknownError('the line dropped');
    case 'abort':
      throw new AbortRunError('stop here');
    default:
      return RESULTS[outcome] ?? undefined;
  }
}

function findingOf(finding: Finding): Reconciliation {
  switch (finding) {
    case 'continue':
      return Reconciliation.continue('nothing carries this key');
    case 'complete':
      return Reconciliation.complete(FOUND);
    case 'conflict':
      return Reconciliation.conflict('two carry this key');
    case 'wait':
      return Reconciliation.wait({ presentation: { receipt: RECEIPT } });
    case 'throw':
      throw new Error('the reconciliation failed');
    case 'perhaps':
      return { kind: 'perhaps' } as unknown as Reconciliation;
  }
}

/** Changes whatever can be changed of what a program was given. */
function spoil(...given: readonly object[]): void {
  for (const value of given) {
    for (const [key, member] of Object.entries(value)) {
      if (member instanceof AbortSignal || member instanceof Date) continue;
      if (typeof member === 'object' && member !== null) spoil(member as object);
      else Reflect.set(value, key, 'spoilt');
    }
  }
}
