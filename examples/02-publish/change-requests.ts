import { OutcomeUnknownError } from 'holdpoint';

// Type aliases rather than interfaces: only those are assignable to JSON.

export type NewChangeRequest = {
  readonly branch: string;
  readonly title: string;
  readonly body: string;
};

/** A change request that was opened. */
export type ChangeRequest = NewChangeRequest & { readonly number: number };

/** Gives the forge's address to a piece of work, and keeps it valid until that is done. */
export type ReachForge = <T>(work: (url: string) => Promise<T>) => Promise<T>;

/** The line in a change request's body that says which operation opened it: what it is found by. */
export function marker(operationId: string): string {
  return `Holdpoint-Operation: ${operationId}`;
}

/** The forge as the tools see it. */
export class ChangeRequests {
  constructor(private readonly reach: ReachForge) {}

  /**
   * Opens a change request.
   *
   * @throws OutcomeUnknownError if no proper answer came: it may have been opened all the same
   */
  async open(asked: NewChangeRequest, signal: AbortSignal): Promise<ChangeRequest> {
    const { status, body } = await this.reach((url) => post(`${url}/change-requests`, asked, signal)).catch(
      (cause: unknown) => {
        throw new OutcomeUnknownError('the forge did not answer', { cause });
      },
    );
    if (status === 201) return body as ChangeRequest;
    if (status >= 500) throw new OutcomeUnknownError(`the forge answered ${status}`);
    throw new Error(`the forge refused the change request with ${status}`);
  }

  /** Every change request whose body holds this text, oldest first. */
  async containing(text: string): Promise<ChangeRequest[]> {
    return this.reach(async (url) => {
      const response = await fetch(`${url}/change-requests?containing=${encodeURIComponent(text)}`);
      if (!response.ok) throw new Error(`the forge answered ${response.status} to a search`);
      return (await response.json()) as ChangeRequest[];
    });
  }
}

async function post(url: string, asked: unknown, signal: AbortSignal): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(asked), signal });
  return { status: response.status, body: await response.json() };
}
