import { OutcomeUnknownError } from 'holdpoint';

// Type aliases rather than interfaces: only those are assignable to JSON.

/** What is known of an order. */
export type Order = {
  readonly order: string;
  readonly paidCents: number;
  /** Worth of what came back. */
  readonly returnedCents: number;
  readonly refundedCents: number;
};

export type ChargeRequest = {
  readonly order: string;
  readonly amountCents: number;
  /** Ours: the service keeps it with the charge and finds the charge by it. It does not stop a second one. */
  readonly reference: string;
};

/** A charge that was booked. */
export type Charge = ChargeRequest & { readonly charge: string };

/** The payment service as the tools, and the person at the desk, see it. */
export class Payments {
  constructor(private readonly url: string) {}

  order(order: string): Promise<Order> {
    return this.#get<Order>(`/orders/${encodeURIComponent(order)}`);
  }

  /** Every charge that carries this reference. */
  chargesOf(reference: string): Promise<Charge[]> {
    return this.#get<Charge[]>(`/charges?reference=${encodeURIComponent(reference)}`);
  }

  async count(): Promise<number> {
    return (await this.#get<{ count: number }>('/charges/count')).count;
  }

  /**
   * Books a charge.
   *
   * @throws OutcomeUnknownError if no proper answer came: the charge may have been booked all the same
   */
  async charge(request: ChargeRequest, signal: AbortSignal): Promise<Charge> {
    const { status, body } = await this.#post('/charges', request, signal).catch((cause: unknown) => {
      throw new OutcomeUnknownError('the payment service did not answer', { cause });
    });
    if (status === 201) return body as Charge;
    if (status >= 500) throw new OutcomeUnknownError(`the payment service answered ${status}`);
    throw new Error(`the payment service refused the charge with ${status}`);
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(this.url + path);
    if (!response.ok) throw new Error(`the payment service answered ${response.status} to GET ${path}`);
    return (await response.json()) as T;
  }

  async #post(path: string, body: unknown, signal: AbortSignal): Promise<{ status: number; body: unknown }> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
    return { status: response.status, body: await response.json() };
  }
}

/** `6400` → `64.00` */
export function money(cents: number): string {
  return (cents / 100).toFixed(2);
}
