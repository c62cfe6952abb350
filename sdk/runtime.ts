import type { Class } from '../core/definition/definition.js';
import type { Engine } from '../core/engine/engine.js';
import { resume } from '../core/engine/resume.js';
import { start } from '../core/engine/start.js';
import { ClosedError, NotFoundError } from '../core/errors.js';
import type { Limits } from '../core/model/limits.js';
import type { Run } from '../core/model/run.js';
import * as check from './arguments.js';
import { Client, startRequest, type StartOptions } from './client.js';
import { openEngine, type RuntimeOptions } from './runtime-options.js';

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
      engine.options.approvers,
    );
  }

  /**
   * Checks the declarations, opens the store and brings it to this version's schema.
   *
   * @throws DefinitionError, InvalidArgumentError: before anything is opened
   * @throws StoreError, SchemaVersionError, InsecureStoreError, UnsafeSchemaError
   */
  static async open(options: RuntimeOptions): Promise<Runtime> {
    const { engine, limits } = await openEngine(options);
    return new Runtime(engine, limits);
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
   *   ApprovalChangedError, DecisionNotSignedError, LeaseLostError, ClosedError
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
