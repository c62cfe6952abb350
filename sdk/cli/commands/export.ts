import { once } from 'node:events';
import type { Command } from 'commander';
import { storeCommand, withClient, type Context, type StoreOptions } from '../command.js';

export function exportCommand(context: Context): Command {
  return storeCommand(
    'export',
    'Write the whole record of a run, as lines of JSON.',
    'holdpoint runs export --store runs.db refund-8891 > refund-8891.jsonl',
  )
    .argument('<run>', 'its id')
    .addHelpText(
      'after',
      '\nIt is written as stored, with JSON’s escapes for what a terminal would act on; `holdpoint verify --file` checks it without the store.',
    )
    .action((run: string, _options: StoreOptions, command: Command) => write(context, run, command));
}

/** `runs` takes `--store` too, and the parser gives it what stands before `export`. */
async function write(context: Context, id: string, command: Command): Promise<void> {
  const { output } = context.streams;
  await withClient(context, command.optsWithGlobals<StoreOptions>(), async (client) => {
    for await (const line of client.runs.export(id)) {
      if (!output.write(line)) await once(output, 'drain');
    }
  });
}
