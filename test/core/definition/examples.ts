import { IsInt, IsString } from 'class-validator';
import { Agent } from '../../../decorators/agent.js';
import { Reconcile } from '../../../decorators/reconcile.js';
import { Tool } from '../../../decorators/tool.js';

export class ChargeInput {
  @IsString() order!: string;
  @IsInt() amountCents!: number;
}

export class Lookup {
  @IsString() id!: string;
}

@Tool(false, { description: 'Charge the card', effect: 'remote', timeoutMs: 30_000 })
export class ChargeCard {
  execute(input: ChargeInput): ChargeInput {
    return input;
  }

  @Reconcile()
  lookUp(_input: ChargeInput): null {
    return null;
  }
}

export class OrderTools {
  @Tool(true)
  lookUpOrder(input: Lookup): Lookup {
    return input;
  }

  @Tool(false, { name: 'cancel-order', effect: 'destructive', terminal: true })
  cancel(input: Lookup): Lookup {
    return input;
  }

  @Reconcile('cancel')
  wasCancelled(_input: Lookup): null {
    return null;
  }
}

@Agent({ name: 'refunds', description: 'Refunds orders', tools: [ChargeCard, OrderTools] })
export class RefundAgent {
  decide(): null {
    return null;
  }

  @Reconcile()
  settle(): null {
    return null;
  }
}
