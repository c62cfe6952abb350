import type { Approval, Client, Run, RunEvent, Step } from 'holdpoint';
import type { World } from '../../../../support/world.js';
import type { Snapshot } from '../model/model.js';
import type { Config } from '../model/record.js';
import type { Revision, ToolName } from '../vocabulary.js';
import { approvalDetails, eventLine, runLine, stepDetails } from './lines.js';
import { Process } from './process.js';

/** The id of the one run of a test. */
export const RUN = 'run';

const PAGE = 1000;

/** All that the store holds of the run. */
export interface Stored {
  readonly run: Run;
  readonly steps: readonly Step[];
  readonly approvals: readonly Approval[];
  readonly events: readonly RunEvent[];
}

/** The real side of one test: a store in a file, an operator's client, and the processes that are alive. */
export class Real {
  readonly processes = new Map<string, Process>();
  readonly outside = { calls: [] as string[], tools: new Map<string, ToolName>() };
  readonly #gone: Process[] = [];

  private constructor(
    readonly world: World,
    private readonly config: Config,
    readonly client: Client,
  ) {}

  /** @param world one that has a store; whoever made it closes it */
  static async open(world: World, config: Config): Promise<Real> {
    return new Real(world, config, await world.client());
  }

  async open(name: string, revision: Revision): Promise<Process> {
    const process = await Process.open(this.world, this.config, this.outside, name, revision);
    this.processes.set(name, process);
    return process;
  }

  process(name: string): Process {
    const process = this.processes.get(name);
    if (!process) throw new Error(`${name} is not alive`);
    return process;
  }

  /** The process is gone: killed, or closing with nothing left to do. */
  forget(name: string): void {
    this.#gone.push(this.process(name));
    this.processes.delete(name);
  }

  /** What any observer was told. */
  told(): readonly RunEvent[] {
    return [...this.#gone, ...this.processes.values()].flatMap(({ told }) => told);
  }

  async stored(): Promise<Stored> {
    const { runs, approvals } = this.client;
    return {
      run: await runs.get(RUN),
      steps: await runs.steps(RUN),
      events: await runs.events(RUN, { limit: PAGE }),
      approvals: await approvals.list({ runId: RUN, limit: PAGE }),
    };
  }

  async close(): Promise<void> {
    for (const process of this.processes.values()) await process.kill();
    await Promise.all([...this.#gone, ...this.processes.values()].map((process) => process.closed()));
  }
}

/** Replaces the ids that a test cannot know: a step's and an operation's by its place, an owner's by its name. */
export function readable({ steps, approvals }: Stored, text: string): string {
  const places = new Map<string, number>();
  for (const { id, operationId, index } of steps) places.set(id, index).set(operationId, index);
  for (const [place, { id }] of approvals.entries()) places.set(id, place + 1);
  return text
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, (id) => String(places.get(id) ?? id))
    .replace(/\b(p\d+)-[0-9a-f]{12}\b/g, '$1');
}

export function snapshotOf(stored: Stored, calls: readonly string[]): Snapshot {
  const inWords = (text: string): string => readable(stored, text);
  return {
    run: inWords(runLine(stored.run)),
    steps: stored.steps.map(stepDetails).map(inWords),
    approvals: stored.approvals.map(approvalDetails).map(inWords),
    events: stored.events.map(eventLine).map(inWords),
    calls: calls.map(inWords),
  };
}
