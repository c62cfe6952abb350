/**
 * `npm run demo`: the director. It starts the processes, kills one, and tells what happens.
 *
 * Whatever ends it, a signal and a failure included, it leaves no process and no file behind.
 */
import { constants } from 'node:os';
import { parse, USAGE, type Answer } from './args.js';
import { askedAct } from './asked.js';
import { reconciledAct } from './reconciled.js';
import { printable, Screen } from './screen.js';
import { Stage } from './stage.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves to an exit code once somebody wants the demo to end, be it that nobody reads it any more. */
function interruption(): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve(128 + constants.signals[signal]));
    process.stdout.on('error', () => resolve(128 + constants.signals.SIGPIPE));
  });
}

async function play(stage: Stage, screen: Screen, answer: Answer | null): Promise<number> {
  screen.title('Holdpoint: a killed process never repeats a side effect on its own');
  screen.say(
    'Order A-8891 was two chairs at 64.00 each. One came back, but both were refunded: 64.00 too much. An agent is ' +
      'asked to put that right with one charge of 64.00 to the card. The payment service is a process of its own and ' +
      'knows no idempotency: whoever asks it twice pays twice.',
  );
  await askedAct(stage, screen, answer);
  await reconciledAct(stage, screen);
  return 0;
}

/** @returns the exit code */
async function run(answer: Answer | null): Promise<number> {
  const interrupted = interruption();
  const screen = new Screen(process.stdout);
  const stage = await Stage.open();
  try {
    return await Promise.race([interrupted, play(stage, screen, answer)]);
  } finally {
    screen.mute();
    await stage.close();
  }
}

function complain(error: unknown): number {
  process.stderr.write(`the demo failed: ${printable(error instanceof Error ? error.message : String(error))}\n`);
  return 1;
}

const asked = parse(process.argv.slice(2));
if (asked.kind === 'help') {
  process.stdout.write(USAGE);
} else if (asked.kind === 'wrong') {
  process.stderr.write(`${printable(asked.message)}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  process.exitCode = await run(asked.answer).catch(complain);
  // What was interrupted still waits for something that will not come.
  if (process.exitCode !== 0) process.exit();
}
