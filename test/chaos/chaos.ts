import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Runtime } from 'holdpoint';
import { Chaotic, provideWith } from './agent.js';
import { judge, type Verdict } from './judge.js';
import { Ledger } from './ledger.js';
import { randomOf } from './random.js';

/** How much chaos. */
export interface ChaosOptions {
  readonly seconds: number;
  readonly processes: number;
  readonly seed: number;
}

/** What came of it. */
export interface ChaosReport extends Verdict {
  readonly kills: number;
}

const LEASE_MS = 600;
/** How long the survivors may go without bringing another run to its end, once nobody is killed any more. */
const CALM_MS = 30_000;
/** Open runs, from which on none are added. */
const BACKLOG = 60;

/**
 * Worker processes over one file, killed at random moments, while operators decide at random.
 *
 * The seed fixes whom and when the director kills; what each process was doing at that moment is the machine's affair.
 */
export async function chaos({ seconds, processes, seed }: ChaosOptions): Promise<ChaosReport> {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-chaos-'));
  const stage = new Stage(join(dir, 'runs.db'), join(dir, 'ledger.jsonl'), seed);
  try {
    await stage.prepare();
    for (let place = 0; place < processes; place += 1) stage.spawnWorker(place);
    stage.spawnOperator();
    const kills = await stage.rage(seconds * 1_000);
    await stage.calm();
    const verdict = await stage.judge();
    return { ...verdict, kills, violations: [...verdict.violations, ...stage.unexpected] };
  } finally {
    await stage.clear();
    rmSync(dir, { recursive: true, force: true });
  }
}

class Stage {
  readonly unexpected: string[] = [];
  readonly #random: () => number;
  readonly #workers: ChildProcess[] = [];
  #operator: ChildProcess | null = null;
  #client: Client | null = null;
  #born = 0;

  constructor(
    private readonly store: string,
    private readonly ledger: string,
    private readonly seed: number,
  ) {
    this.#random = randomOf(seed);
  }

  async prepare(): Promise<void> {
    const runtime = await Runtime.open({
      store: this.store,
      agents: [Chaotic],
      provide: provideWith(new Ledger(this.ledger)),
    });
    await runtime.close();
    this.#client = await Client.open({ store: this.store });
  }

  spawnWorker(place: number): void {
    this.#born += 1;
    const args = [this.store, this.ledger, `${this.seed + this.#born}`, `${LEASE_MS}`];
    this.#workers[place] = this.#fork('./worker.js', args);
  }

  spawnOperator(): void {
    this.#operator = this.#fork('./operator.js', [this.store, `${this.seed}`]);
  }

  /** Starts runs and kills workers, until the time is over. */
  async rage(ms: number): Promise<number> {
    const until = Date.now() + ms;
    let kills = 0;
    let started = 0;
    while (Date.now() < until) {
      started = await this.#start(started);
      await pause(50 + this.#random() * 250);
      const place = Math.floor(this.#random() * this.#workers.length);
      if (this.#random() < 0.4) {
        await killed(this.#workers[place]);
        kills += 1;
        this.spawnWorker(place);
      }
    }
    return kills;
  }

  /** Starts three more runs, unless the workers are behind: what is left at the end must be finished in the calm. */
  async #start(started: number): Promise<number> {
    if ((await this.#open()) >= BACKLOG) return started;
    for (let n = 1; n <= 3; n += 1) await this.#client?.start('chaotic', { goal: 'chaos', id: `run-${started + n}` });
    return started + 3;
  }

  /** Nobody is killed any more: the survivors finish, then stop. */
  async calm(): Promise<void> {
    let left = Infinity;
    let until = 0;
    for (;;) {
      const open = await this.#open();
      if (open < left) [left, until] = [open, Date.now() + CALM_MS];
      if (open === 0 || Date.now() >= until) break;
      await pause(100);
    }
    for (const child of [...this.#workers, this.#operator]) await stopped(child);
  }

  async judge(): Promise<Verdict> {
    if (!this.#client) throw new Error('the stage was never prepared');
    return judge(this.#client, new Ledger(this.ledger).read());
  }

  async clear(): Promise<void> {
    for (const child of [...this.#workers, this.#operator]) await killed(child);
    await this.#client?.close();
  }

  /** Runs that have not ended. */
  async #open(): Promise<number> {
    let open = 0;
    for (const status of ['PENDING', 'RUNNING', 'WAITING'] as const) {
      open += (await this.#client?.runs.list({ status, limit: 1000 }))?.length ?? 0;
    }
    return open;
  }

  #fork(module: string, args: readonly string[]): ChildProcess {
    const child = fork(fileURLToPath(new URL(module, import.meta.url)), [...args]);
    child.on('message', (message) => {
      this.unexpected.push(`a process met ${(message as { unexpected: string }).unexpected}`);
    });
    child.on('exit', (code) => {
      if (code !== null && code !== 0) this.unexpected.push(`${module} exited with ${code}`);
    });
    return child;
  }
}

function lives(child: ChildProcess | null | undefined): child is ChildProcess {
  return child?.exitCode === null && child.signalCode === null;
}

async function killed(child: ChildProcess | null | undefined): Promise<void> {
  if (!lives(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function stopped(child: ChildProcess | null): Promise<void> {
  if (!lives(child)) return;
  const gone = once(child, 'exit');
  child.send({ stop: true });
  await gone;
}
