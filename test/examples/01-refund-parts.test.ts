import { expect } from 'chai';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { OutcomeUnknownError, type InterruptedCall, type PolicyRequest, type Run } from 'holdpoint';
import { Payments, type Charge } from '../../examples/01-refund/payments.js';
import { ask } from '../../examples/01-refund/person.js';
import { ReconciledChargeCard } from '../../examples/01-refund/reconciled-refund-agent.js';
import { ChargeInput } from '../../examples/01-refund/refund-agent.js';
import { refundPolicy } from '../../examples/01-refund/refund-policy.js';
import { printable } from '../../examples/01-refund/screen.js';

const CHARGE: Charge = { charge: 'ch_1', order: 'A-1', amountCents: 100, reference: 'op-1' };

describe('examples/01-refund: its reconciliation', () => {
  async function lookUp(charges: readonly Charge[]): Promise<string> {
    const payments = new Payments('http://127.0.0.1:1');
    payments.chargesOf = (reference) => Promise.resolve(charges.filter((charge) => charge.reference === reference));
    const input = Object.assign(new ChargeInput(), { order: 'A-1', amountCents: 100 });
    const call = { operationId: 'op-1' } as InterruptedCall;
    const { kind } = await new ReconciledChargeCard(payments).lookUp(input, call);
    return kind;
  }

  it('I4: recovers the charge that carries the operation id', async () => {
    expect(await lookUp([CHARGE])).to.equal('complete');
  });

  it('I4: continues where no charge carries the operation id', async () => {
    expect(await lookUp([{ ...CHARGE, reference: 'op-2' }])).to.equal('continue');
  });

  it('I4: reports a conflict where two charges carry it', async () => {
    expect(await lookUp([CHARGE, { ...CHARGE, charge: 'ch_2' }])).to.equal('conflict');
  });
});

describe('examples/01-refund: its policy', () => {
  async function decide(tool: object, amountCents: number): Promise<string> {
    const request = { tool, args: { order: 'A-1', amountCents } } as unknown as PolicyRequest;
    return (await refundPolicy(request, {} as Run)).kind;
  }

  it('allows a charge of 100.00, and asks a person about one cent more', async () => {
    expect(await decide({ name: 'charge_card', effect: 'remote' }, 10_000)).to.equal('allow');
    expect(await decide({ name: 'charge_card', effect: 'remote' }, 10_001)).to.equal('require_approval');
  });

  it('leaves every other tool to the default policy', async () => {
    expect(await decide({ name: 'look_up_order', readOnly: true }, 0)).to.equal('allow');
    expect(await decide({ name: 'wire_money', effect: 'destructive' }, 0)).to.equal('deny');
  });
});

describe('examples/01-refund: its payment client', () => {
  let server: Server;
  let status: number | 'drops';

  beforeEach(async () => {
    server = createServer((_request, response) => {
      if (status === 'drops') response.destroy();
      else response.writeHead(status).end(JSON.stringify(CHARGE));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function charge(answer: number | 'drops'): Promise<unknown> {
    status = answer;
    const payments = new Payments(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return payments.charge(CHARGE, new AbortController().signal).catch((error: unknown) => error);
  }

  it('returns the charge that was booked', async () => {
    expect(await charge(201)).to.deep.equal(CHARGE);
  });

  it('I9: does not know the outcome when no answer comes, or only that something went wrong', async () => {
    expect(await charge('drops')).to.be.instanceOf(OutcomeUnknownError);
    expect(await charge(503)).to.be.instanceOf(OutcomeUnknownError);
  });

  it('I9: knows that a refused charge failed', async () => {
    expect(await charge(402))
      .to.be.instanceOf(Error)
      .and.not.instanceOf(OutcomeUnknownError);
  });
});

describe('examples/01-refund: its question at a terminal', () => {
  async function answers(...typed: string[]): Promise<{ answer: string | null; shown: string }> {
    const output = new PassThrough().setEncoding('utf8');
    const answer = await ask(Readable.from(typed), output);
    return { answer, shown: (output.read() as string | null) ?? '' };
  }

  it('takes one of the three answers', async () => {
    expect((await answers('reject\n')).answer).to.equal('reject');
    expect((await answers('  Approve \n')).answer).to.equal('approve');
  });

  it('asks again until it is one of them', async () => {
    const { answer, shown } = await answers('yes\n', '\n', 'settle\n');
    expect(answer).to.equal('settle');
    expect(shown.match(/Your answer/g)).to.have.length(3);
    expect(shown).to.include('"yes" is none of approve, settle, reject.');
  });

  it('takes the end of input for no answer, never for a yes', async () => {
    expect((await answers()).answer).to.equal(null);
    expect((await answers('appro')).answer).to.equal(null);
  });
});

describe('examples/01-refund: its screen', () => {
  it('writes control and direction characters of a text as escapes', () => {
    expect(printable('a\u001b[2Jb\nc\u202ed\u0007')).to.equal('a\\u{1b}[2Jb\\u{a}c\\u{202e}d\\u{7}');
    expect(printable('naïve — 64.00 €')).to.equal('naïve — 64.00 €');
  });
});
