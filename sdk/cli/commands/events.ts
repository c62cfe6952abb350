import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { UndecodableError } from '../../../core/errors.js';
import type { RunEvent } from '../../../core/model/event.js';
import { isTerminal } from '../../../core/model/run.js';
import type { Client } from '../../client.js';
import { printJson, storeCommand, wholeNumber, withClient, type Context, type StoreOptions } from '../command.js';
import { count } from '../format.js';
import { showEvent } from '../views/event.js';

const POLL_MS = 200;
const PAGE = 100;

interface Options extends StoreOptions {
  readonly follow?: true;
  readonly after: number;
  readonly limit?: number;
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
    .addHelpText('after', '\nWith --json, each event is one line.')
    .action((run: string, options: Options) => print(context, run, options));
}

async function print(context: Context, id: string, options: Options): Promise<void> {
  await withClient(context, options, async (client) => {
    let left = options.limit ?? Infinity;
    let after = options.after;
    while (left > 0) {
      const ended = isTerminal((await client.runs.get(id)).status);
      const page = await client.runs.events(id, { after, limit: Math.min(PAGE, left) });
      for (const event of page) {
        if (options.json) printJson(context, event);
        else showEvent(context.terminal, event);
      }
      after = placeOf(page, id) ?? after;
      left -= page.length;
      if (page.length > 0) continue;
      if (!options.follow || ended) return;
      await sleep(POLL_MS);
    }
    await sayWhetherMore(context, client, id, { after, asJson: options.json ?? false });
  });
}

/** Where a page ended. @throws UndecodableError if that is no place: what comes after it cannot be asked for */
function placeOf(page: readonly RunEvent[], runId: string): number | undefined {
  const place = page.at(-1)?.index;
  if (place === undefined || Number.isSafeInteger(place)) return place;
  throw new UndecodableError(runId, 'the place of an event is no whole number');
}

async function sayWhetherMore(
  { terminal }: Context,
  client: Client,
  id: string,
  { after, asJson }: { readonly after: number; readonly asJson: boolean },
): Promise<void> {
  const { eventCount } = await client.runs.get(id);
  if (!asJson && eventCount > after) terminal.line(`${count(eventCount - after, 'more event')}: --after ${after}`);
}
