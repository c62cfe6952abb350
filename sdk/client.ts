import type { Clock } from '../core/clock.js';
import { exportRun } from '../core/engine/export.js';
import { cancel, decide, type Decided, type PersonsAnswer } from '../core/engine/operator.js';
import { create } from '../core/engine/start.js';
import { verify, type Verification } from '../core/engine/verify.js';
import { canonicalJson } from '../core/model/canonical-json.js';
import type { Json } from '../core/model/json.js';
import { APPROVAL_STATUSES, type Approval, type ApprovalStatus } from '../core/model/approval.js';
import type { RunEvent } from '../core/model/event.js';
import { DEFAULT_LIMITS, type Limits } from '../core/model/limits.js';
import { RUN_STATUSES, type Run, type RunStatus } from '../core/model/run.js';
import type { Step } from '../core/model/step.js';
import type { StoreLocation } from '../core/store/location.js';
import { loadApproval, loadApprovals, loadEvents, loadRun, loadRuns, loadSteps } from '../core/store/reads.js';
import { Store } from '../core/store/store.js';
import * as check from './arguments.js';

/** What a client is opened with. */
export interface ClientOptions {
  /** A path, or TypeORM's options of a `better-sqlite3` DataSource. It must exist: `Runtime.open` creates it. */
  readonly store: StoreLocation;
  /** For tests; default the machine's. */
  readonly clock?: Clock;
}

/** What a run is started with. */
export interface StartOptions {
  /** What the agent is to reach. */
  readonly goal: string;
  /** 1 to 128 of `A-Z a-z 0-9 . _ : -`; default a UUID v7. Choose it to start a run at most once. */
  readonly id?: string;
  /** Over the runtime's limits. */
  readonly limits?: Partial<Limits>;
}

/** Which page of a list: entries after the cursor (the last entry's `seq`, an event's `index`), at most `limit` (100, at most 1000). */
export interface PageOptions {
  readonly after?: number;
  readonly limit?: number;
}

export interface ListRunsOptions extends PageOptions {
  readonly status?: RunStatus;
  readonly agent?: string;
}

export interface ListApprovalsOptions extends PageOptions {
  readonly status?: ApprovalStatus;
  readonly runId?: string;
}

/** A person's decision. */
export interface DecisionOptions {
  /** The hash of the request that the person was shown (contract A2). */
  readonly hash: string;
  /** Who decides. */
  readonly by: string;
  readonly note?: string;
}

export interface CancelOptions {
  readonly by: string;
  readonly reason?: string;
}

export interface VerifyOptions {
  /** Default all runs. */
  readonly runId?: string;
  /** With `runId`: a `headHash` of it that was kept elsewhere. */
  readonly head?: string;
}

/**
 * Reads a store and decides its approvals, without any agent's code: for operators and reviewers.
 *
 * Every list is bounded and in the order of insertion (contract S10).
 */
export class Client implements AsyncDisposable {
  readonly runs: RunsClient;
  readonly approvals: ApprovalsClient;
  readonly #act: Act;

  /** @internal Use `Client.open`, or `runtime.client`. */
  constructor(
    private readonly store: Store,
    private readonly defaults: Limits,
    notify: (events: readonly RunEvent[]) => void,
    private readonly owned: boolean,
  ) {
    this.#act = async (act) => {
      const { value, events } = await act(store);
      notify(events);
      return value;
    };
    this.runs = new RunsClient(store);
    this.approvals = new ApprovalsClient(store, this.#act);
  }

  /**
   * Opens a store that exists.
   *
   * @throws NotFoundError, StoreError, SchemaVersionError, InsecureStoreError, UnsafeSchemaError, InvalidArgumentError
   */
  static async open(options: ClientOptions): Promise<Client> {
    check.members(options, 'options', ['store', 'clock']);
    const { store: location, clock } = options;
    const store = await Store.open({ location, create: false, clock: check.clock(clock) });
    return new Client(store, DEFAULT_LIMITS, () => undefined, true);
  }

  /**
   * Creates a run, PENDING until a runtime resumes it.
   *
   * @throws RunExistsError, InvalidArgumentError
   */
  async start(agent: string, options: StartOptions): Promise<Run> {
    const request = { agent: check.text(agent, 'agent'), ...startRequest(options, this.store, this.defaults) };
    return this.#act(async (store) => {
      const { state, events } = await create(store, request);
      return { value: state.run, events };
    });
  }

  /**
   * Ends a run that has not ended; whoever executes it stops at the next write (contract L9).
   *
   * @throws NotFoundError, RunStateError
   */
  async cancel(runId: string, options: CancelOptions): Promise<Run> {
    const { by, reason } = check.members(options, 'options', ['by', 'reason']);
    const who = check.text(by, 'by');
    const why = check.optionalText(reason, 'reason');
    return this.#act((store) => cancel(store, check.id(runId, 'runId'), who, why));
  }

  /**
   * Recomputes the hash chain of one run, or of all, and checks that every row holds what its events lead to (contract
   * S11). The first thing that does not fit is the `fault` of what this returns, not an error.
   *
   * @throws NotFoundError, InvalidArgumentError
   */
  async verify(options: VerifyOptions = {}): Promise<Verification> {
    const { runId, head } = check.members(options, 'options', ['runId', 'head']);
    const run = runId === undefined ? null : check.id(runId, 'runId');
    const kept = head === undefined ? null : check.hash(head, 'head', 'an event that was kept');
    if (kept !== null && run === null) check.id(runId, 'runId (a head is of one run)');
    return verify(this.store, run, kept);
  }

  /** Closes the store, unless it is a runtime's: that closes it itself. */
  async close(): Promise<void> {
    if (this.owned) await this.store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

type Act = <T>(act: (store: Store) => Promise<Decided<T>>) => Promise<T>;

/** The runs of a store. */
export class RunsClient {
  /** @internal */
  constructor(private readonly store: Store) {}

  /** @throws NotFoundError */
  async get(runId: string): Promise<Run> {
    return this.store.read((sql) => loadRun(this.store, sql, check.id(runId, 'runId')));
  }

  async list(options: ListRunsOptions = {}): Promise<Run[]> {
    const { status, agent, after, limit } = check.members(options, 'options', ['status', 'agent', 'after', 'limit']);
    const inStatus = check.oneOf(status, 'status', RUN_STATUSES);
    const filter = {
      ...(inStatus === undefined ? {} : { status: inStatus }),
      ...(agent === undefined ? {} : { agent: check.text(agent, 'agent') }),
    };
    return this.store.read((sql) => loadRuns(this.store, sql, filter, check.page(after, limit)));
  }

  /** Every step of a run, oldest first. @throws NotFoundError */
  async steps(runId: string): Promise<Step[]> {
    return this.store.read(async (sql) => {
      const run = await loadRun(this.store, sql, check.id(runId, 'runId'));
      return loadSteps(this.store, sql, run.id);
    });
  }

  /** Events of a run, oldest first; the cursor is an event's `index`. @throws NotFoundError */
  async events(runId: string, options: PageOptions = {}): Promise<RunEvent[]> {
    const { after, limit } = check.members(options, 'options', ['after', 'limit']);
    return this.store.read(async (sql) => {
      const run = await loadRun(this.store, sql, check.id(runId, 'runId'));
      return loadEvents(this.store, sql, run.id, check.page(after, limit));
    });
  }

  /**
   * A run's whole record as JSON lines, each with its end: a file that `verifyExport` checks without the database. A run
   * that goes on meanwhile is exported as it was when this began.
   *
   * ```ts
   * await writeFile('r1.jsonl', client.runs.export('r1'));
   * ```
   *
   * @throws NotFoundError, InvalidArgumentError: both at the first line
   */
  async *export(runId: string): AsyncGenerator<string, void, undefined> {
    yield* exportRun(this.store, check.id(runId, 'runId'));
  }
}

/** The approvals of a store. */
export class ApprovalsClient {
  /** @internal */
  constructor(
    private readonly store: Store,
    private readonly act: Act,
  ) {}

  /** @throws NotFoundError */
  async get(approvalId: string): Promise<Approval> {
    return this.store.read((sql) => loadApproval(this.store, sql, check.id(approvalId, 'approvalId')));
  }

  async list(options: ListApprovalsOptions = {}): Promise<Approval[]> {
    const { status, runId, after, limit } = check.members(options, 'options', ['status', 'runId', 'after', 'limit']);
    const inStatus = check.oneOf(status, 'status', APPROVAL_STATUSES);
    const filter = {
      ...(inStatus === undefined ? {} : { status: inStatus }),
      ...(runId === undefined ? {} : { runId: check.id(runId, 'runId') }),
    };
    return this.store.read((sql) => loadApprovals(this.store, sql, filter, check.page(after, limit)));
  }

  /**
   * The same request may run (once more); the next resume runs it (contract A3).
   *
   * @throws NotFoundError, NotPendingError, ApprovalChangedError, ApprovalExpiredError, InvalidArgumentError
   */
  async approve(approvalId: string, options: DecisionOptions): Promise<Approval> {
    return this.#decide(approvalId, { kind: 'approve', ...deciding(options) });
  }

  /**
   * The run ends as `approval_rejected`; the tool is not called (again).
   *
   * @throws NotFoundError, NotPendingError, ApprovalChangedError, ApprovalExpiredError, InvalidArgumentError
   */
  async reject(approvalId: string, options: DecisionOptions): Promise<Approval> {
    return this.#decide(approvalId, { kind: 'reject', ...deciding(options) });
  }

  /**
   * The call took effect, with this result: the run continues without calling the tool (contract I6).
   *
   * Only for the kinds `interrupted_side_effect` and `unknown_outcome`.
   *
   * @throws NotFoundError, NotPendingError, ApprovalChangedError, ApprovalExpiredError, InvalidArgumentError, InvalidJsonError
   */
  async settle(approvalId: string, options: DecisionOptions & { readonly result: Json }): Promise<Approval> {
    const { result, ...decision } = check.members(options, 'options', ['hash', 'by', 'note', 'result']);
    const entered = JSON.parse(canonicalJson(result ?? null, 'result')) as Json;
    return this.#decide(approvalId, { kind: 'settle', result: entered, ...deciding(decision) });
  }

  #decide(approvalId: string, answer: PersonsAnswer): Promise<Approval> {
    return this.act((store) => decide(store, check.id(approvalId, 'approvalId'), answer));
  }
}

function deciding(options: unknown): { hash: string; by: string; note: string | null } {
  const { hash, by, note } = check.members(options, 'options', ['hash', 'by', 'note']);
  return {
    hash: check.hash(hash, 'hash', 'the approval that was shown; nothing was decided'),
    by: check.text(by, 'by'),
    note: check.optionalText(note, 'note'),
  };
}

/** Checks what a run is started with. */
export function startRequest(
  options: unknown,
  store: Store,
  defaults: Limits,
): { readonly id: string; readonly goal: string; readonly limits: Limits } {
  const { goal, id, limits } = check.members(options, 'options', ['goal', 'id', 'limits']);
  return {
    goal: check.goal(goal),
    id: id === undefined ? store.ids() : check.id(id, 'id'),
    limits: check.limits(limits, defaults),
  };
}
