import type { Command } from 'commander';
import { InvalidArgumentError } from '../../../core/errors.js';
import { EXIT, printJson, storeCommand, thisUser, withClient, type Context, type StoreOptions } from '../command.js';
import { canAsk, confirm, nobodyToAsk } from '../prompt.js';
import { asksForOutcome } from '../../../core/model/approval.js';
import { showRun } from '../views/run.js';

interface Options extends StoreOptions {
  readonly by?: string;
  readonly reason?: string;
  readonly yes?: true;
}

export function cancelCommand(context: Context): Command {
  return storeCommand(
    'cancel',
    'End a run, whoever executes it.',
    'holdpoint cancel --store runs.db refund-8891 --reason "wrong order"',
  )
    .argument('<run>', 'its id')
    .option('--by <name>', 'who cancels it (default: this machine’s user)')
    .option('--reason <text>', 'why, for the record')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .action((run: string, options: Options) => cancel(context, run, options));
}

async function cancel(context: Context, id: string, options: Options): Promise<void> {
  const { terminal, streams, clock } = context;
  const { by = thisUser(streams), reason, yes, json } = options;
  await withClient(context, options, async (client) => {
    if (!yes && (json === true || !canAsk(streams))) {
      throw new InvalidArgumentError(`${nobodyToAsk(options)}, and nothing was cancelled; say so with --yes`);
    }
    if (!yes) {
      showRun(terminal, await client.runs.get(id), clock.now());
      const [pending] = await client.approvals.list({ runId: id, status: 'pending', limit: 1 });
      if (pending && asksForOutcome(pending.kind)) {
        terminal.line(
          'Whether its interrupted call took effect is unknown, and stays so: that question ends unanswered.',
        );
      }
      terminal.line('Cancelling: the run ends as CANCELLED. A tool that is being called is not stopped by it.');
      const question = `Type cancel to cancel it as ${by}, anything else to leave it as it is:`;
      if (!(await confirm(streams, question, 'cancel'))) {
        terminal.line('Nothing was cancelled.');
        context.exit(EXIT.refused);
        return;
      }
    }
    const run = await client.cancel(id, { by, ...(reason === undefined ? {} : { reason }) });
    if (json) printJson(context, { run });
    else terminal.line(`Run ${run.id} is ${run.status} (${run.reason ?? ''}).`);
  });
}
