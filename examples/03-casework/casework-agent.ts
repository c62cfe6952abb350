/**
 * The agent that works on cases, and its two tools: what an application of yours would hold.
 *
 * The operation id goes with every change. Whoever may have to ask for one again looks it up first: the tool before it
 * dispatches, the reconciliation after a crash, and the person who is asked about the outcome.
 */
import { IsNotEmpty, IsString } from 'class-validator';
import {
  Agent,
  callTool,
  complete,
  fail,
  Reconcile,
  Reconciliation,
  Tool,
  type Decision,
  type InterruptedCall,
  type Step,
  type StepInput,
  type ToolCall,
} from 'holdpoint';
import type { Accounts, Case, Change } from './accounts.js';

export class CaseInput {
  @IsString()
  case!: string;
}

export class CaseFile {
  constructor(private readonly accounts: Accounts) {}

  @Tool(true, { description: 'Read a case, and the account that it is about' })
  readCase({ case: id }: CaseInput): Promise<Case> {
    return this.accounts.readCase(id);
  }
}

export class AddressInput {
  @IsString()
  account!: string;

  /** Part of the request, so that a person decides on it, and the application refuses it once it is no longer true. */
  @IsString()
  before!: string;

  @IsString()
  @IsNotEmpty()
  after!: string;
}

@Tool(false, {
  description: 'Change where the parcels of an account go',
  input: AddressInput,
  effect: 'remote',
  timeoutMs: 10_000,
  // One change a run: its success ends the run, so that there is no later step that could ask for another.
  terminal: true,
})
export class ChangeAddress {
  constructor(private readonly accounts: Accounts) {}

  /** An approved re-run carries the operation id of the first attempt, and so finds what that one did. */
  async execute({ account, before, after }: AddressInput, call: ToolCall): Promise<Change> {
    const [done] = await this.accounts.changesOf(call.operationId);
    if (done) return done;
    return this.accounts.change({ operation: call.operationId, account, before, after }, call.signal);
  }

  /** Asked after a crash, before any person is. It only looks. */
  @Reconcile()
  async lookUp(_input: AddressInput, call: InterruptedCall): Promise<Reconciliation> {
    const [change, another] = await this.accounts.changesOf(call.operationId);
    if (another) return Reconciliation.conflict('the application holds two changes of this one operation');
    if (change) return Reconciliation.complete(change);
    // A request that was still on its way may arrive after this look, so a person decides.
    return Reconciliation.wait({ presentation: { seen: 'the application holds no change of this operation' } });
  }
}

@Agent({ name: 'casework', description: 'Proposes what a case asks for', tools: [CaseFile, ChangeAddress] })
export class CaseworkAgent {
  decide({ run, steps }: StepInput): Decision {
    const id = /\bC-\d+\b/.exec(run.goal)?.[0];
    if (id === undefined) return fail('the goal names no case');

    const found = caseIn(steps);
    if (!found) return callTool('read_case', { case: id });

    const seen = steps.at(-1)?.observation;
    if (seen?.kind === 'error' || seen?.kind === 'denied') return fail(`the address was not changed: ${seen.message}`);

    // Where a model would read the text.
    const after = /new address: (.+)$/.exec(found.text)?.[1];
    if (after === undefined) return complete();
    const { account, address: before } = found;
    return callTool(ChangeAddress, { account, before, after }, 'the customer has moved');
  }
}

/** The case, once it was read. Every step counts: a crash while deciding leaves one behind it that says nothing. */
function caseIn(steps: readonly Step[]): Case | undefined {
  for (const { tool, observation } of steps) {
    if (tool === 'read_case' && observation?.kind === 'result') return observation.result as Case;
  }
  return undefined;
}
