import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { HoldpointError, InvalidArgumentError } from '../../../core/errors.js';
import type { Verification } from '../../../core/engine/verify.js';
import { verifyExport } from '../../verify-export.js';
import { EXIT, printJson, storeCommand, withClient, type Context, type StoreOptions } from '../command.js';
import { count, plain } from '../format.js';

/** The most characters of a line. */
const MAX_LINE = 2 ** 28;

interface Options extends StoreOptions {
  readonly head?: string;
  readonly file?: string;
}

export function verifyCommand(context: Context): Command {
  return storeCommand(
    'verify',
    'Check that the record is the one that was written: of one run, or of all.',
    'holdpoint verify --store runs.db refund-8891 --head 5f0c…',
  )
    .argument('[run]', 'its id')
    .option('--head <hash>', 'a hash of the run that was kept elsewhere: shows a chain that was cut short')
    .option('--file <file>', 'check what `holdpoint runs export` wrote, without a store; - is the standard input')
    .action((run: string | undefined, options: Options) => verify(context, run, options));
}

async function verify(context: Context, run: string | undefined, options: Options): Promise<void> {
  const { file, head } = options;
  if (file !== undefined && run !== undefined) {
    throw new InvalidArgumentError('give a run of the store, or --file, not both; nothing was checked');
  }
  if (head !== undefined && file === undefined && run === undefined) {
    throw new InvalidArgumentError('a head is of one run: holdpoint verify RUN --head HASH; nothing was checked');
  }
  const kept = head === undefined ? {} : { head };
  if (file !== undefined) {
    tell(context, await verifyFile(file, kept), options);
    return;
  }
  await withClient(context, options, async (client) => {
    tell(context, await client.verify({ ...(run === undefined ? {} : { runId: run }), ...kept }), options);
  });
}

async function verifyFile(file: string, kept: { readonly head?: string }): Promise<Verification> {
  const input = createReadStream(file === '-' ? '/dev/stdin' : file, 'utf8');
  try {
    return await verifyExport(linesOf(input), kept);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof HoldpointError || !input.errored) throw error;
    throw new InvalidArgumentError(`cannot read ${file}: ${code ?? 'unknown'}; nothing was checked`);
  } finally {
    input.destroy();
    if (!input.closed) await new Promise<void>((resolve) => input.once('close', () => resolve()));
  }
}

/** The lines of a file. One that is too long to be a text is refused, where a reader of lines would end the process. */
async function* linesOf(input: AsyncIterable<string>): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of input) {
    const [first = '', ...others] = chunk.split('\n');
    parts.push(first);
    length += first.length;
    for (const other of others) {
      yield parts.join('');
      parts = [other];
      length = other.length;
    }
    if (length > MAX_LINE)
      throw new InvalidArgumentError('the file is no export: a line of it is too long; nothing was checked');
  }
  yield parts.join('');
}

function tell(context: Context, verification: Verification, options: Options): void {
  const { ok, runs, events, fault } = verification;
  const { terminal } = context;
  if (!ok) context.exit(EXIT.refused);
  if (options.json) {
    printJson(context, verification);
    return;
  }
  const checked = `${count(runs, 'run')}, ${count(events, 'event')}`;
  if (!fault) {
    terminal.line({ text: `The record holds: ${checked}.`, style: 'green' });
    return;
  }
  terminal.line({ text: `The record does not hold, after ${checked}: ${fault.message}.`, style: 'red' });
  terminal.facts(
    [
      ['run', plain(fault.runId)],
      ['where', fault.field === null ? plain(fault.where) : `${plain(fault.where)}, ${plain(fault.field)}`],
      ['expected', plain(fault.expected)],
      ['found', plain(fault.found)],
    ],
    1,
  );
  terminal.line('Somebody changed it, or it is damaged. Keep it as it is, and compare it with a copy.');
}
