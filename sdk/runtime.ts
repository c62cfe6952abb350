import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { systemClock, type Clock } from '../core/clock.js';
import { defineAgents } from '../core/definition/agents.js';
import type { AgentDefinition, Class } from '../core/definition/definition.js';
import { Engine, type Observer } from '../core/engine/engine.js';
import type { Provide } from '../core/engine/instances.js';
import { resume } from '../core/engine/resume.js';
import { start } from '../core/engine/start.js';
import { ClosedError, InvalidArgumentError, NotFoundError } from '../core/errors.js';
import { uuidV7, type Ids } from '../core/ids.js';
import { Heartbeat } from '../core/lease/heartbeat.js';
import type { Limits } from '../core/model/limits.js';
import { defaultPolicy, type Policy } from '../core/model/policy.js';
import type { Run } from '../core/model/run.js';
import type { ToolSpec } from '../core/model/tool.js';
import type { StoreLocation } from '../core/store/location.js';
import { recordSpecs } from '../core/store/specs.js';
import { Store } from '../core/store/store.js';
import * as check from './arguments.js';
import { Client, startRequest, type StartOptions } from './client.js';

/** How this process holds the runs that it executes (contract L1–L3). */
export interface LeaseOptions {
  /** How long a lease lasts without renewal, in milliseconds: 100 to 86400000, default 30000. A restarted process waits it out. */
  readonly ttlMs?: number;
  /** What the owner is called; a random suffix is added. Default the host's name and the process id. */
  readonly owner?: string;
}

/** What a runtime is opened with. */
export interface RuntimeOptions {
  /** A path (created if need be), `:memory:`, or TypeORM's options of a `better-sqlite3` DataSource. */
  readonly store: StoreLocation;
  /** The agents that it can execute. */
  readonly agents: readonly Class[];
  /** Makes an agent's or a tool's instance, e.g. out of a container. Default `new cls()`. */
  readonly provide?: Provide;
  /** Decides whether a request runs. Default `defaultPolicy` (contract P2). */
  readonly policy?: Policy;
  /** Limits of every run, over the defaults (contract P5). */
  readonly limits?: Partial<Limits>;
  readonly lease?: LeaseOptions;
  /** Is told of every event that this process commits, after its commit. Its faults change nothing (contract S4). */
  readonly observer?: Observer;
  /** How long a question may wait for a person, in milliseconds; default for ever (contract A5). */
  readonly approvalTtlMs?: number;
  /** How long a grant may wait for a resume, in milliseconds; default for ever (contract A5). */
  readonly grantTtlMs?: number;
  /** For tests; default the machine's. */
  readonly clock?: Clock;
  /** For tests; default UUID v7. */
  readonly ids?: Ids;
}

const OPTIONS = [
  'store',
  'agents',
  'provide',
  'policy',
  'limits',
  'lease',
  'observer',
  'approvalTtlMs',
  'grantTtlMs',
  'clock',
  'ids',
];
const DEFAULT_TTL_MS = 30_000;
const MIN_TTL_MS = 100;
const MAX_TTL_MS = 86_400_000;

/** Executes runs of the agents that it was opened with. Several processes may open one store. */
export class Runtime implements AsyncDisposable {
  /** Reads the same store and decides its approvals. */
  readonly client: Client;
  #closed: Promise<void> | null = null;

  private constructor(
    private readonly engine: Engine,
    private readonly limits: Limits,
  ) {
    this.client = new Client(
      engine.store,
      limits,
      (events) => {
        engine.notify(events);
      },
      false,
    );
  }

  /**
   * Checks the declarations, opens the store and brings it to this version's schema.
   *
   * @throws DefinitionError, InvalidArgumentError: before anything is opened
   * @throws StoreError, SchemaVersionError
   */
  static async open(options: RuntimeOptions): Promise<Runtime> {
    const checked = checkedOptions(options);
    const { location, clock, ids, owner, ttlMs, limits, ...rest } = checked;
    const store = await Store.open({ location, create: true, clock, ids });
    try {
      await recordSpecs(store, specsOf(rest.agents));
    } catch (error) {
      await store.close();
      throw error;
    }
    return new Runtime(new Engine({ ...rest, store, heartbeat: new Heartbeat(store, owner, ttlMs) }), limits);
  }

  /**
   * Starts a run and executes it until it pauses or ends.
   *
   * @param agent the agent's class, or its name
   * @throws RunExistsError, NotFoundError, InvalidArgumentError: nothing was created
   * @throws LeaseLostError if another process took the run over
   * @throws ClosedError if the runtime is closed; a run under way goes on at its next resume
   */
  async start(agent: Class | string, options: StartOptions): Promise<Run> {
    this.#assertOpen();
    const request = { agent: this.#nameOf(agent), ...startRequest(options, this.engine.store, this.limits) };
    return start(this.engine, request);
  }

  /**
   * Goes on with a run, whatever it waited for or was left in, until it pauses or ends.
   *
   * One that still waits for a person is returned as it is. One whose owner died is taken over once its lease has
   * expired (contract L7).
   *
   * @throws NotFoundError, RunStateError if it has ended, RunLeasedError if its lease is live, UndecodableError,
   *   ApprovalChangedError, LeaseLostError, ClosedError
   */
  async resume(runId: string): Promise<Run> {
    this.#assertOpen();
    return resume(this.engine, check.id(runId, 'runId'));
  }

  /** Finishes the steps in flight, releases the leases and closes the store. Closing twice is no error. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.engine.close();
    await this.engine.options.heartbeat.close();
    await this.engine.store.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new ClosedError('the runtime is closed; open another');
  }

  #nameOf(agent: unknown): string {
    if (typeof agent === 'string') return agent;
    for (const { name, cls } of this.engine.options.agents.values()) if (cls === agent) return name;
    const name = typeof agent === 'function' ? agent.name : typeof agent;
    throw new NotFoundError('agent', name, 'it is not among the agents that this runtime was opened with');
  }
}

function checkedOptions(options: RuntimeOptions) {
  const given = check.members(options, 'options', OPTIONS) as unknown as RuntimeOptions;
  const { provide, policy = defaultPolicy, observer, lease = {}, clock = systemClock, ids = uuidV7 } = given;
  for (const [name, value] of Object.entries({ provide, policy, observer, ids })) {
    if (value !== undefined && typeof value !== 'function')
      throw new InvalidArgumentError(`${name} must be a function`);
  }
  if (!Array.isArray(given.agents)) throw new InvalidArgumentError('agents must be a list of agent classes');
  const { ttlMs = DEFAULT_TTL_MS, owner } = check.members(lease, 'lease', ['ttlMs', 'owner']) as LeaseOptions;
  return {
    location: given.store,
    agents: defineAgents(given.agents, { provided: provide !== undefined }),
    provide: provide ?? construct,
    policy,
    observer: observer ?? null,
    limits: check.limits(given.limits),
    ttlMs: check.integer(ttlMs, 'lease.ttlMs', MIN_TTL_MS, MAX_TTL_MS),
    owner: ownerOf(owner),
    approvalTtlMs: check.optionalMs(given.approvalTtlMs, 'approvalTtlMs'),
    grantTtlMs: check.optionalMs(given.grantTtlMs, 'grantTtlMs'),
    clock,
    ids,
  };
}

/** The configured name and a suffix drawn for this runtime, so that no two share a lease (contract L2). */
function ownerOf(name: string | undefined): string {
  const owner = name === undefined ? `${hostname()}-${process.pid}` : check.id(name, 'lease.owner');
  return `${owner}-${randomBytes(6).toString('hex')}`;
}

function construct(cls: Class): object {
  return new (cls as unknown as new () => object)();
}

function specsOf(agents: ReadonlyMap<string, AgentDefinition>): Map<string, ToolSpec> {
  const tools = [...agents.values()].flatMap((agent) => [...agent.tools.values()]);
  return new Map(tools.map(({ specHash, spec }) => [specHash, spec]));
}
