import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { UndecodableError } from '../../../core/errors.js';
import type { Bounded } from '../../../core/model/bounded.js';
import type { RunEvent } from '../../../core/model/event.js';
import { isTerminal } from '../../../core/model/run.js';
import type { Client } from '../../client.js';
import { printJson, storeCommand, wholeNumber, withClient, type Context, type StoreOptions } from '../command.js';
import { count } from '../format.js';
import { Terminal } from '../terminal.js';
import { showEvent } from '../views/event.js';

const POLL_MS = 200;
const PAGE = 100;

interface Options extends StoreOptions {
  readonly follow?: true;
  readonly after: number;
  readonly limit?: number;
  readonly tail?: number;
}

export function eventsCommand(context: Context): Command {
  return storeCommand(
    'events',
    'Print the events of a run, oldest first.',
    'holdpoint events --store runs.db refund-8891 --follow',
  )
    .argument('<run>', 'its id')
    .option('--follow', 'go on until the run has ended')
    .option('--after <index>', 'only those after this one', wholeNumber, 0)
    .option('--limit <count>', 'at most so many; all unless it is given', wholeNumber)
    .option('--tail <count>', 'only the last ones, and with --follow what comes', wholeNumber)
    .addHelpText('after', '\nWith --json, each event is one line.')
    .action((run: string, options: Options) => print(context, run, options));
}

async function print(context: Context, id: string, options: Options): Promise<void> {
  await withClient(context, options, async (client) => {
    let left = options.limit ?? Infinity;
    let after = await firstOf(client, id, options);
    for await (const page of pagesOf(context, client, id, { after, follow: options.follow ?? false })) {
      const events = page.slice(0, left);
      for (const event of events) {
        if (options.json) printJson(context, event);
        else showEvent(context.terminal, event);
      }
      after = placeOf(events, id) ?? after;
      left -= events.length;
      if (left <= 0) break;
    }
    if (options.json !== true) await sayWhetherMore(context, client, id, after);
  });
}

/** Where a page ended. @throws UndecodableError if that is no place: what comes after it cannot be asked for */
function placeOf(page: readonly RunEvent[], runId: string): number | undefined {
  const place = page.at(-1)?.index;
  if (place === undefined || Number.isSafeInteger(place)) return place;
  throw new UndecodableError(runId, 'the place of an event is no whole number');
}

/** Pages of events; with `follow`, until the run has ended. */
async function* pagesOf(
  context: Context,
  client: Client,
  id: string,
  from: { readonly after: number; readonly follow: boolean },
): AsyncGenerator<Bounded<RunEvent>[]> {
  let { after } = from;
  let waited = false;
  for (;;) {
    const { status } = await client.runs.get(id);
    const page = await client.runs.events(id, { after, limit: PAGE });
    if (page.length > 0) {
      yield page;
      after = placeOf(page, id) ?? after;
      continue;
    }
    if (!from.follow || isTerminal(status)) return;
    if (status === 'WAITING' && !waited) tellThatItWaits(context, id);
    waited = status === 'WAITING';
    await sleep(POLL_MS);
  }
}

/** The event after which it begins. */
async function firstOf(client: Client, id: string, { after, tail }: Options): Promise<number> {
  if (tail === undefined) return after;
  return Math.max(after, (await client.runs.get(id)).eventCount - tail);
}

/** Beside the events, so that a program which reads them is not told. */
function tellThatItWaits({ streams }: Context, id: string): void {
  new Terminal(streams.errors, streams.env).line(`It waits: holdpoint show ${id} says for what.`);
}

async function sayWhetherMore({ terminal }: Context, client: Client, id: string, after: number): Promise<void> {
  const { eventCount } = await client.runs.get(id);
  if (eventCount > after) terminal.line(`${count(eventCount - after, 'more event')}: --after ${after}`);
}
