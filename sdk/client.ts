import { ApprovalExpiredError } from '../core/errors.js';
import type { Clock } from '../core/clock.js';
import { create } from '../core/engine/create.js';
import { exportRun } from '../core/engine/export.js';
import { cancel, decide, type Decided, type PersonsAnswer } from '../core/engine/operator.js';
import { verify, type Verification } from '../core/engine/verify.js';
import { waitFor } from '../core/engine/wait-for.js';
import { bounded, type Bounded } from '../core/model/bounded.js';
import { canonicalJson } from '../core/model/canonical-json.js';
import type { Json } from '../core/model/json.js';
import { APPROVAL_STATUSES, type Approval, type ApprovalStatus } from '../core/model/approval.js';
import type { Approvers } from '../core/model/decision-signature.js';
import type { RunEvent } from '../core/model/event.js';
import { DEFAULT_LIMITS, type Limits } from '../core/model/limits.js';
import { isTerminal, RUN_STATUSES, type Run, type RunStatus } from '../core/model/run.js';
import type { Step } from '../core/model/step.js';
import type { StoreLocation } from '../core/store/location.js';
import {
  assertRun,
  MAX_TEXT,
  readApproval,
  readApprovals,
  readEvents,
  readRun,
  readRuns,
  readSteps,
} from '../core/store/bounded-reads.js';
import { Store } from '../core/store/store.js';
import { approversOf, deciderOf, type ApproverKey } from './approver-keys.js';
import * as check from './arguments.js';

/** What a client is opened with. */
export interface ClientOptions {
  /** A path, or TypeORM's options of a `better-sqlite3` DataSource. It must exist: `Runtime.open` creates it. */
  readonly store: StoreLocation;
  /** Ed25519 public keys: a decision is then refused unless it is signed with one of them (contract A7). */
  readonly approvers?: readonly ApproverKey[];
  /** For tests; default the machine's. */
  readonly clock?: Clock;
}

/** What a run is started with. */
export interface StartOptions {
  /** What the agent is to reach. */
  readonly goal: string;
  /** 1 to 128 of `A-Z a-z 0-9 . _ : -`; default a UUID v7. Choose it to start a run at most once. */
  readonly id?: string;
  /** Over the runtime's limits; over the defaults, where the client is not a runtime's. */
  readonly limits?: Partial<Limits>;
}

/** Which page of a list, oldest first. */
export interface PageOptions {
  /** The cursor of the last entry seen: a run's or an approval's `seq`, a step's or an event's `index`. */
  readonly after?: number;
  /** 1 to 1000, default 100. In a page of more than 128, texts are cut at 8192 characters. */
  readonly limit?: number;
  /** The other way round: the first page is the newest entries, and `after` continues towards the older ones. */
  readonly newestFirst?: boolean;
}

/** How much of one record is read. */
export interface ReadOptions {
  /** The longest text, or JSON, of one member in characters: 1 to 16777216, default 65536. What is longer is cut, with a mark. */
  readonly maxText?: number;
}

export interface WaitOptions {
  /** Ends the waiting: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
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
  /** Signs the decision: an Ed25519 private key, as PKCS#8 PEM text or a KeyObject (contract A7). It is not kept. */
  readonly key?: ApproverKey;
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
 * Every list is in the order of insertion (contract S10), and every read is bounded: a page of entries at a time, and of
 * each the first 65536 characters of a text. `cut` names the members of which there is more.
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
    approvers: Approvers | null,
  ) {
    this.#act = async (act) => {
      const { value, events } = await act(store);
      notify(events);
      return value;
    };
    this.runs = new RunsClient(store);
    this.approvals = new ApprovalsClient(store, this.#act, approvers);
  }

  /**
   * Opens a store that exists.
   *
   * @throws NotFoundError, StoreError, SchemaVersionError, InsecureStoreError, UnsafeSchemaError, InvalidArgumentError
   */
  static async open(options: ClientOptions): Promise<Client> {
    check.members(options, 'options', ['store', 'approvers', 'clock']);
    const { store: location, clock } = options;
    const approvers = approversOf(options.approvers);
    const store = await Store.open({ location, create: false, clock: check.clock(clock) });
    return new Client(store, DEFAULT_LIMITS, () => undefined, true, approvers);
  }

  /**
   * Creates a run, PENDING until a runtime resumes it.
   *
   * @throws RunExistsError, InvalidArgumentError
   */
  async start(agent: string, options: StartOptions): Promise<Bounded<Run>> {
    const request = { agent: check.text(agent, 'agent'), ...startRequest(options, this.store, this.defaults) };
    return this.#act(async (store) => {
      const { state, events } = await create(store, request);
      return { value: bounded(state.run, MAX_TEXT), events };
    });
  }

  /**
   * Ends a run that has not ended; whoever executes it stops at the next write (contract L9).
   *
   * @throws NotFoundError, RunStateError
   */
  async cancel(runId: string, options: CancelOptions): Promise<Bounded<Run>> {
    const { by, reason } = check.members(options, 'options', ['by', 'reason']);
    const who = check.text(by, 'by');
    const why = check.optionalText(reason, 'reason');
    return bounded(await this.#act((store) => cancel(store, check.id(runId, 'runId'), who, why)), MAX_TEXT);
  }

  /**
   * Waits until a run has ended, or waits for a person; whoever executes it may be another process.
   *
   * A run that nobody executes is waited for all the same: bound the waiting with a `signal`.
   *
   * @throws NotFoundError, ClosedError, the signal's reason
   */
  async waitFor(runId: string, options: WaitOptions = {}): Promise<Bounded<Run>> {
    const { signal } = check.members(options, 'options', ['signal']);
    const [id, end] = [check.id(runId, 'runId'), check.signal(signal)];
    for (;;) {
      await waitFor(this.store, id, end);
      const run = await this.runs.get(id);
      // Decided and resumed by others between the two: it goes on.
      if (isTerminal(run.status) || run.status === 'WAITING') return run;
    }
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

const PAGE = ['after', 'limit', 'newestFirst'];

function maxTextOf(options: unknown): number {
  const { maxText = MAX_TEXT } = check.members(options, 'options', ['maxText']);
  return check.integer(maxText, 'maxText', 1, 256 * MAX_TEXT);
}

type Act = <T>(act: (store: Store) => Promise<Decided<T>>) => Promise<T>;

/** The runs of a store. */
export class RunsClient {
  /** @internal */
  constructor(private readonly store: Store) {}

  /** @throws NotFoundError */
  async get(runId: string, options: ReadOptions = {}): Promise<Bounded<Run>> {
    const maxText = maxTextOf(options);
    return this.store.read((sql) => readRun(this.store, sql, check.id(runId, 'runId'), maxText));
  }

  async list(options: ListRunsOptions = {}): Promise<Bounded<Run>[]> {
    const { status, agent, ...page } = check.members(options, 'options', ['status', 'agent', ...PAGE]);
    const inStatus = check.oneOf(status, 'status', RUN_STATUSES);
    const filter = {
      ...(inStatus === undefined ? {} : { status: inStatus }),
      ...(agent === undefined ? {} : { agent: check.text(agent, 'agent') }),
    };
    return this.store.read((sql) => readRuns(this.store, sql, filter, check.page(page)));
  }

  /** Steps of a run; the cursor is a step's `index`. @throws NotFoundError */
  async steps(runId: string, options: PageOptions = {}): Promise<Bounded<Step>[]> {
    const page = check.page(check.members(options, 'options', PAGE));
    return this.store.read(async (sql) => {
      await assertRun(this.store, sql, check.id(runId, 'runId'));
      return readSteps(this.store, sql, runId, page);
    });
  }

  /** Events of a run; the cursor is an event's `index`. @throws NotFoundError */
  async events(runId: string, options: PageOptions = {}): Promise<Bounded<RunEvent>[]> {
    const page = check.page(check.members(options, 'options', PAGE));
    return this.store.read(async (sql) => {
      await assertRun(this.store, sql, check.id(runId, 'runId'));
      return readEvents(this.store, sql, runId, page);
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
    private readonly approvers: Approvers | null,
  ) {}

  /** @throws NotFoundError */
  async get(approvalId: string, options: ReadOptions = {}): Promise<Bounded<Approval>> {
    const maxText = maxTextOf(options);
    return this.store.read((sql) => readApproval(this.store, sql, check.id(approvalId, 'approvalId'), maxText));
  }

  async list(options: ListApprovalsOptions = {}): Promise<Bounded<Approval>[]> {
    const { status, runId, ...page } = check.members(options, 'options', ['status', 'runId', ...PAGE]);
    const inStatus = check.oneOf(status, 'status', APPROVAL_STATUSES);
    const filter = {
      ...(inStatus === undefined ? {} : { status: inStatus }),
      ...(runId === undefined ? {} : { runId: check.id(runId, 'runId') }),
    };
    return this.store.read((sql) => readApprovals(this.store, sql, filter, check.page(page)));
  }

  /**
   * The same request may run (once more); the next resume runs it (contract A3).
   *
   * @throws NotFoundError, NotPendingError, ApprovalChangedError, ApprovalExpiredError, InvalidArgumentError
   */
  async approve(approvalId: string, options: DecisionOptions): Promise<Bounded<Approval>> {
    return this.#decide(approvalId, { kind: 'approve', ...this.#deciding(options) });
  }

  /**
   * The run ends as `approval_rejected`; the tool is not called (again).
   *
   * @throws NotFoundError, NotPendingError, ApprovalChangedError, ApprovalExpiredError, InvalidArgumentError
   */
  async reject(approvalId: string, options: DecisionOptions): Promise<Bounded<Approval>> {
    return this.#decide(approvalId, { kind: 'reject', ...this.#deciding(options) });
  }

  /**
   * The call took effect, with this result: the run continues without calling the tool (contract I6).
   *
   * Only for the kinds `interrupted_side_effect` and `unknown_outcome`.
   *
   * @throws NotFoundError, NotPendingError, ApprovalChangedError, ApprovalExpiredError, InvalidArgumentError, InvalidJsonError
   */
  async settle(approvalId: string, options: DecisionOptions & { readonly result: Json }): Promise<Bounded<Approval>> {
    const { result, ...decision } = check.members(options, 'options', ['hash', 'by', 'note', 'key', 'result']);
    const entered = JSON.parse(canonicalJson(result ?? null, 'result')) as Json;
    return this.#decide(approvalId, { kind: 'settle', result: entered, ...this.#deciding(decision) });
  }

  async #decide(approvalId: string, answer: PersonsAnswer): Promise<Bounded<Approval>> {
    const id = check.id(approvalId, 'approvalId');
    const approval = await this.act((store) => decide(store, id, answer));
    const { status, expiresAt, requestedAt } = approval;
    // Its run has ended by this, and whoever observes it has been told.
    if (status === 'expired') throw new ApprovalExpiredError(id, new Date(expiresAt ?? requestedAt));
    return bounded(approval, MAX_TEXT);
  }

  #deciding(options: unknown) {
    const { hash, by, note, key } = check.members(options, 'options', ['hash', 'by', 'note', 'key']);
    return {
      hash: check.hash(hash, 'hash', 'the approval that was shown; nothing was decided'),
      by: check.text(by, 'by'),
      note: check.optionalText(note, 'note'),
      signer: deciderOf(key, this.approvers),
    };
  }
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
