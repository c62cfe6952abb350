import type { AgentDefinition } from '../definition/definition.js';
import { NotFoundError, RunLeasedError } from '../errors.js';
import type { Heartbeat } from '../lease/heartbeat.js';
import type { RunEvent } from '../model/event.js';
import type { Approvers } from '../model/decision-signature.js';
import { copyOf } from '../model/json.js';
import type { Policy } from '../model/policy.js';
import type { Store } from '../store/store.js';
import type { Provide } from './instances.js';
import type { Probe } from './probe.js';

/** Is told of every event that this process commits, after its commit (contract S4). */
export type Observer = (event: RunEvent) => unknown;

export interface EngineOptions {
  readonly store: Store;
  readonly heartbeat: Heartbeat;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly provide: Provide;
  readonly policy: Policy;
  readonly observer: Observer | null;
  /** Whose decisions count; null if signatures are not asked for (contract A7). */
  readonly approvers: Approvers | null;
  /** How long a question may wait for a person; null for ever. */
  readonly approvalTtlMs: number | null;
  /** How long a grant may wait for a resume; null for ever. */
  readonly grantTtlMs: number | null;
  /** Of a test; null otherwise. */
  readonly probe: Probe | null;
}

/** What all runs of one runtime share. */
export class Engine {
  readonly #active = new Map<string, Promise<unknown>>();
  #closing = false;

  constructor(readonly options: EngineOptions) {}

  get store(): Store {
    return this.options.store;
  }

  /** Whether no further step is to begin. */
  get closing(): boolean {
    return this.#closing;
  }

  agent(name: string): AgentDefinition {
    const agent = this.options.agents.get(name);
    if (agent) return agent;
    const known = [...this.options.agents.keys()].join(', ');
    throw new NotFoundError('agent', name, `this runtime was opened with ${known || 'none'}; nothing was changed`);
  }

  /** Runs `work` as the only one on this run in this runtime (contract L6). */
  async exclusively<T>(runId: string, work: () => Promise<T>): Promise<T> {
    if (this.#active.has(runId)) throw await this.#busy(runId);
    const working = work();
    this.#active.set(runId, working);
    try {
      return await working;
    } finally {
      this.#active.delete(runId);
    }
  }

  /** Tells the observer, whose faults are its own. */
  notify(events: readonly RunEvent[]): void {
    const { observer } = this.options;
    if (!observer) return;
    for (const event of events) {
      try {
        Promise.resolve(observer(copyOf(event))).catch(() => undefined);
      } catch {
        continue;
      }
    }
  }

  /** No further step begins; waits for those in flight. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled(this.#active.values());
  }

  async #busy(runId: string): Promise<RunLeasedError> {
    const [row] = await this.store.read((sql) => this.store.tables.runs.find(sql, { id: runId }));
    const expiresAt = row?.leaseExpiresAt ?? this.store.clock.now() + this.options.heartbeat.ttlMs;
    return new RunLeasedError(runId, this.options.heartbeat.owner, new Date(expiresAt));
  }
}
