import { OutcomeUnknownError } from 'holdpoint';
import type { Account, Accounts, Case, Change, ChangeRequest } from './accounts.js';

/** The application over HTTP. */
export class RemoteAccounts implements Accounts {
  constructor(private readonly url: string) {}

  readCase(id: string): Promise<Case> {
    return this.#get<Case>(`/cases/${encodeURIComponent(id)}`);
  }

  account(id: string): Promise<Account> {
    return this.#get<Account>(`/accounts/${encodeURIComponent(id)}`);
  }

  changesOf(operation: string): Promise<Change[]> {
    return this.#get<Change[]>(`/changes?operation=${encodeURIComponent(operation)}`);
  }

  async change(request: ChangeRequest, signal: AbortSignal): Promise<Change> {
    const { status, body } = await this.#post('/changes', request, signal).catch((cause: unknown) => {
      throw new OutcomeUnknownError('the application did not answer', { cause });
    });
    if (status === 201) return body as Change;
    if (status >= 500) throw new OutcomeUnknownError(`the application answered ${status}`);
    throw new Error(`the application refused the change with ${status}`);
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(this.url + path);
    if (!response.ok) throw new Error(`the application answered ${response.status} to GET ${path}`);
    return (await response.json()) as T;
  }

  async #post(path: string, body: unknown, signal: AbortSignal): Promise<{ status: number; body: unknown }> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
    return { status: response.status, body: await response.json() };
  }
}
