import { Option, type Command } from 'commander';
import { APPROVAL_STATUSES, type Approval, type ApprovalStatus } from '../../../core/model/approval.js';
import type { Bounded } from '../../../core/model/bounded.js';
import { printJson, storeCommand, wholeNumber, withClient, type Context, type StoreOptions } from '../command.js';
import { pageOf, tellNext, type ListedPage } from '../page.js';
import { APPROVAL_COLUMNS, approvalRow, READ_TO_SHOW, showApproval } from '../views/approval.js';

interface Options extends StoreOptions {
  readonly status?: ApprovalStatus;
  readonly all?: true;
  readonly newest?: true;
  readonly run?: string;
  readonly after?: number;
  readonly limit: number;
  readonly full?: true;
}

/** Which of the approvals were asked for. */
interface Asked {
  readonly status: ApprovalStatus;
  readonly all: true | undefined;
  readonly after: number | undefined;
}

export function approvalsCommand(context: Context): Command {
  return storeCommand(
    'approvals',
    'List what waits for a person, oldest first; or show one approval in full.',
    'holdpoint approvals --store runs.db',
  )
    .argument('[approval]', 'the id of the one to show')
    .addOption(new Option('--status <status>', 'those instead of the pending ones').choices(APPROVAL_STATUSES))
    .addOption(new Option('--all', 'those of every status').conflicts('status'))
    .option('--newest', 'newest first')
    .option('--run <run>', 'only this run’s')
    .option('--after <cursor>', 'the next page: the cursor that the last one ended with', wholeNumber)
    .option('--limit <count>', 'approvals a page, at most 1000', wholeNumber, 50)
    .option('--full', 'with an id: show every field of the request')
    .action((id: string | undefined, options: Options) =>
      id === undefined ? list(context, options) : show(context, id, options),
    );
}

async function list(context: Context, options: Options): Promise<void> {
  const { status = 'pending', all, newest, run, after, limit } = options;
  await withClient(context, options, async (client) => {
    // A misspelt run must not look like one that waits for nobody.
    if (run !== undefined) await client.runs.get(run);
    const filter = { ...(all ? {} : { status }), ...(run === undefined ? {} : { runId: run }) };
    const page = await pageOf({ after, limit }, (within) =>
      client.approvals.list({ ...filter, ...within, newestFirst: newest ?? false }),
    );
    if (options.json) printJson(context, { approvals: page.entries, next: page.next });
    else print(context, page, { status, all, after });
  });
}

function print({ terminal, clock }: Context, page: ListedPage<Bounded<Approval>>, asked: Asked): void {
  const { entries: approvals } = page;
  const now = clock.now();
  if (approvals.length === 0) terminal.line(noneOf(asked));
  else {
    terminal.table(
      APPROVAL_COLUMNS,
      approvals.map((approval) => approvalRow(approval, now)),
    );
  }
  tellNext(terminal, page, 'approval');
  if (approvals.some((approval) => approval.status === 'pending')) {
    terminal.line('`holdpoint approvals` with its id shows one in full; `approve`, `reject` and `settle` ask, too.');
  }
}

function noneOf({ status, all, after }: Asked): string {
  if (after !== undefined) return 'No more approvals.';
  if (all) return 'No approvals.';
  return status === 'pending' ? 'Nothing waits for a person.' : `No approval is ${status}.`;
}

async function show(context: Context, id: string, options: Options): Promise<void> {
  await withClient(context, options, async (client) => {
    const approval = await client.approvals.get(id, READ_TO_SHOW);
    if (options.json) {
      printJson(context, { approval });
      return;
    }
    const run = await client.runs.get(approval.runId);
    showApproval(context.terminal, approval, run, { now: context.clock.now(), full: options.full ?? false });
  });
}
