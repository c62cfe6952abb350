/**
 * `node main.js`: one application process, an agent process that is killed, and a person who approves.
 *
 * Whatever ends it, a signal and a failure included, it leaves no process and no file behind.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from './child.js';
import type { FromApplication } from './messages.js';
import { printable, Screen } from './screen.js';
import { appliedOnce, killed, tooOld } from './story.js';

/** Far longer than the story takes. */
const PATIENCE_MS = 60_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves to an exit code once somebody wants the program to end, be it that nobody reads it any more. */
function interruption(): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve(128 + constants.signals[signal]));
    process.stdout.on('error', () => resolve(128 + constants.signals.SIGPIPE));
  });
}

/** The processes that it started, to be killed at its end. */
type Children = { kill(): Promise<void> }[];

async function play(directory: string, children: Children, screen: Screen): Promise<number> {
  const start = <Told extends { readonly kind: string }>(module: string, ...args: string[]): Child<Told> => {
    const child = new Child<Told>(module, args);
    children.push(child);
    return child;
  };
  const store = join(directory, 'runs.db');
  const application = start<FromApplication>('./application-process.js', join(directory, 'application.db'));
  const { url } = await application.next('listening');
  const worker = (run: string) => start<never>('./worker.js', store, url, run);
  const stage = { store, url, screen, application, worker };

  screen.title("One change to a customer's account: seen by a person, applied once");
  await appliedOnce(stage);
  await tooOld(stage);
  await killed(stage);
  return 0;
}

async function tooLong(): Promise<never> {
  await delay(PATIENCE_MS, undefined, { ref: false });
  throw new Error(`it did not end within ${PATIENCE_MS / 1_000} s`);
}

/** @returns the exit code */
async function run(): Promise<number> {
  const interrupted = interruption();
  const screen = new Screen(process.stdout);
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-casework-'));
  const children: Children = [];
  try {
    return await Promise.race([interrupted, tooLong(), play(directory, children, screen)]);
  } finally {
    screen.mute();
    await Promise.allSettled(children.map((child) => child.kill()));
    await rm(directory, { recursive: true, force: true });
  }
}

process.exitCode = await run().catch((error: unknown) => {
  process.stderr.write(`it failed: ${printable(error instanceof Error ? error.message : String(error))}\n`);
  return 1;
});
// What was interrupted still waits for something that will not come.
if (process.exitCode !== 0) process.exit();
