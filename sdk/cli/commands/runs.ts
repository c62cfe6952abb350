import { Option, type Command } from 'commander';
import { RUN_STATUSES, type RunStatus } from '../../../core/model/run.js';
import { printJson, storeCommand, wholeNumber, withClient, type Context, type StoreOptions } from '../command.js';
import { pageOf, tellNext } from '../page.js';
import { RUN_COLUMNS, runRow } from '../views/run.js';
import { exportCommand } from './export.js';

interface Options extends StoreOptions {
  readonly status?: RunStatus;
  readonly agent?: string;
  readonly after?: number;
  readonly limit: number;
  readonly oldest?: true;
}

export function runsCommand(context: Context): Command {
  return storeCommand('runs', 'List the runs, newest first.', 'holdpoint runs --store runs.db --status WAITING')
    .addOption(new Option('--status <status>', 'only those').choices(RUN_STATUSES))
    .option('--agent <name>', 'only this agent’s')
    .option('--after <cursor>', 'the next page: the cursor that the last one ended with', wholeNumber)
    .option('--limit <count>', 'runs a page, at most 1000', wholeNumber, 50)
    .option('--oldest', 'oldest first')
    .action((options: Options) => list(context, options))
    .addCommand(exportCommand(context));
}

async function list(context: Context, options: Options): Promise<void> {
  const { status, agent, after, limit, oldest } = options;
  await withClient(context, options, async (client) => {
    const filter = { ...(status === undefined ? {} : { status }), ...(agent === undefined ? {} : { agent }) };
    const page = await pageOf({ after, limit }, (within) =>
      client.runs.list({ ...filter, ...within, newestFirst: !oldest }),
    );
    const { entries: runs, next } = page;
    if (options.json) {
      printJson(context, { runs, next });
      return;
    }
    const now = context.clock.now();
    if (runs.length === 0) context.terminal.line(after === undefined ? 'No runs.' : 'No more runs.');
    else
      context.terminal.table(
        RUN_COLUMNS,
        runs.map((run) => runRow(run, now)),
      );
    tellNext(context.terminal, page, 'run');
  });
}
