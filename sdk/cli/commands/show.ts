import type { Command } from 'commander';
import type { Client } from '../../client.js';
import { printJson, storeCommand, withClient, type Context, type StoreOptions } from '../command.js';
import { count } from '../format.js';
import { APPROVAL_COLUMNS, approvalRow } from '../views/approval.js';
import { showRun, STEP_COLUMNS, stepRow, whatIsNext } from '../views/run.js';

/** The newest steps and approvals of a run that are shown. */
const SHOWN = 50;

export function showCommand(context: Context): Command {
  return storeCommand(
    'show',
    'Show a run: its state, its newest steps, and what it waits for.',
    'holdpoint show --store runs.db refund-8891',
  )
    .argument('<run>', 'its id')
    .action((run: string, options: StoreOptions) => show(context, run, options));
}

async function show(context: Context, id: string, options: StoreOptions): Promise<void> {
  await withClient(context, options, async (client) => {
    const record = await recordOf(client, id);
    if (options.json) printJson(context, record);
    else print(context, record);
  });
}

async function recordOf(client: Client, id: string) {
  const run = await client.runs.get(id);
  const steps = await client.runs.steps(id, { newestFirst: true, limit: SHOWN });
  const approvals = await client.approvals.list({ runId: id, newestFirst: true, limit: SHOWN });
  return { run, steps: steps.reverse(), approvals: approvals.reverse() };
}

function print({ terminal, clock }: Context, { run, steps, approvals }: Awaited<ReturnType<typeof recordOf>>): void {
  const now = clock.now();
  const pending = approvals.find(({ status }) => status === 'pending');
  showRun(terminal, run, now);
  if (steps.length > 0) {
    terminal.line();
    if (steps.length < run.stepCount) terminal.line(`The last ${count(steps.length, 'step')} of ${run.stepCount}:`);
    terminal.table(STEP_COLUMNS, steps.map(stepRow));
  }
  if (approvals.length > 0) {
    terminal.line();
    terminal.table(
      APPROVAL_COLUMNS,
      approvals.map((approval) => approvalRow(approval, now)),
    );
  }
  terminal.line();
  terminal.line(whatIsNext(run, pending ?? null, now));
}
