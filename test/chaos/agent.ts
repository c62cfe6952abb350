import { IsInt } from 'class-validator';
import {
  Agent,
  allow,
  callTool,
  complete,
  Reconcile,
  Reconciliation,
  requireApproval,
  Tool,
  type Class,
  type Decision,
  type InterruptedCall,
  type Policy,
  type StepInput,
  type ToolCall,
} from 'holdpoint';
import { Ledger } from './ledger.js';
import { numberOf } from './random.js';

class StepNumber {
  @IsInt()
  n!: number;
}

/** Tools with an effect, each a moment long so that a kill may hit it, and one without. */
export class Effects {
  constructor(private readonly ledger: Ledger) {}

  @Tool(false, { input: StepNumber })
  async blind(_input: StepNumber, call: ToolCall): Promise<string> {
    await this.#act(call);
    return 'done';
  }

  @Tool(false, { input: StepNumber })
  async looked(_input: StepNumber, call: ToolCall): Promise<string> {
    await this.#act(call);
    return 'done';
  }

  /** It looks; what is not booked may still be under way nowhere, for a dead process books nothing. */
  @Reconcile('looked')
  look(_input: StepNumber, call: InterruptedCall): Reconciliation {
    const booked = this.ledger.read().some(({ operationId }) => operationId === call.operationId);
    return booked ? Reconciliation.complete('found') : Reconciliation.continue('not booked');
  }

  @Tool(true, { input: StepNumber })
  async peek({ n }: StepNumber): Promise<number> {
    await new Promise((turn) => setImmediate(turn));
    return n;
  }

  async #act({ operationId, runId, attempt }: ToolCall): Promise<void> {
    await new Promise((before) => setTimeout(before, numberOf(operationId) % 40));
    this.ledger.book({ operationId, runId, attempt });
    await new Promise((after) => setTimeout(after, numberOf(`${operationId}.`) % 40));
  }
}

const STEPS = 4;

@Agent({ name: 'chaotic', tools: [Effects] })
export class Chaotic {
  /** What it asks for follows from the run and the place in it, so every process asks alike. */
  decide({ run, steps }: StepInput): Decision {
    const n = steps.length;
    if (n >= STEPS) return complete(n);
    const tool = ['blind', 'looked', 'peek'][numberOf(`${run.id} ${n}`) % 3] ?? 'peek';
    return callTool(tool, { n });
  }
}

/** Every third call with an effect needs a person. */
export const chaoticPolicy: Policy = ({ tool, operationId }) =>
  !tool.readOnly && numberOf(`${operationId} policy`) % 3 === 0 ? requireApproval() : allow();

export function provideWith(ledger: Ledger): (cls: Class) => object {
  return (cls) => (cls === Effects ? new Effects(ledger) : new Chaotic());
}
