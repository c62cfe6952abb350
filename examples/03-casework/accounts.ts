// Type aliases rather than interfaces: only those are assignable to JSON.

/** What a customer wrote, with the account that it is about. */
export type Case = {
  readonly case: string;
  readonly account: string;
  readonly text: string;
  /** Where the account's parcels go now. */
  readonly address: string;
};

export type ChangeRequest = {
  /** The holdpoint operation id: stored with the change, which is found by it. */
  readonly operation: string;
  readonly account: string;
  /** What the account must still hold: a change that was approved of another state is refused. */
  readonly before: string;
  readonly after: string;
};

/** A change that was applied. */
export type Change = ChangeRequest & { readonly change: string };

/** An account, and how many requests to change it have reached the application. */
export type Account = { readonly address: string; readonly requests: number; readonly applied: number };

/** The target application as the tools see it: over HTTP, or in the tests over its file. */
export interface Accounts {
  readCase(id: string): Promise<Case>;
  /** Every change that carries this operation. */
  changesOf(operation: string): Promise<Change[]>;
  /**
   * Applies one change.
   *
   * @throws OutcomeUnknownError if no proper answer came: the change may have been applied all the same
   */
  change(request: ChangeRequest, signal: AbortSignal): Promise<Change>;
}
