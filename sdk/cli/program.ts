import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { InvalidArgumentError } from '../../core/errors.js';
import { escapeText } from '../../core/model/escape-text.js';
import { contextOf, EXIT, report, type Context } from './command.js';
import { approvalsCommand } from './commands/approvals.js';
import { cancelCommand } from './commands/cancel.js';
import { approveCommand, rejectCommand, settleCommand } from './commands/decide.js';
import { doctorCommand } from './commands/doctor.js';
import { eventsCommand } from './commands/events.js';
import { keygenCommand } from './commands/keygen.js';
import { runsCommand } from './commands/runs.js';
import { showCommand } from './commands/show.js';
import { verifyCommand } from './commands/verify.js';
import type { Streams } from './terminal.js';

const COMMANDS: readonly ((context: Context) => Command)[] = [
  runsCommand,
  showCommand,
  eventsCommand,
  approvalsCommand,
  approveCommand,
  rejectCommand,
  settleCommand,
  cancelCommand,
  verifyCommand,
  doctorCommand,
  keygenCommand,
];

/**
 * Runs one command; resolves to its exit code. It never throws.
 *
 * @param settled told of a code as soon as the command knows it, before it writes what it found
 */
export async function execute(
  args: readonly string[],
  streams: Streams,
  settled: (code: number) => void = () => undefined,
): Promise<number> {
  let code: number = EXIT.done;
  const context = contextOf(streams, (given) => {
    code = given;
    settled(given);
  });
  const asJson = args.includes('--json');
  const program = programOf(context, args);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return report(streams, error, asJson);
    if (error.exitCode === 0) return EXIT.done;
    // Commander has told people already.
    const message = error.message.replace(/^error: /, '');
    return asJson ? report(streams, new InvalidArgumentError(message), true) : EXIT.usage;
  }
}

function programOf(context: Context, args: readonly string[]): Command {
  const { output, errors } = context.streams;
  const program = new Command('holdpoint')
    .description('Look at the runs of a Holdpoint store, decide what waits for a person, and check the record.')
    .addHelpText('after', '\nExit codes: 0 done, 1 refused or something is wrong, 2 the command was not understood.')
    .version(versionOf(), '--version', 'print the version')
    .helpCommand(false);
  for (const make of COMMANDS) program.addCommand(make(context));
  for (const command of [program, ...descendants(program)]) {
    command
      .exitOverride()
      .showHelpAfterError('(--help shows how it is used)')
      .configureOutput({
        writeOut: (text) => output.write(text),
        writeErr: (text) => args.includes('--json') || errors.write(escapeLines(text, args)),
      });
  }
  return program;
}

function versionOf(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((one) => [one, ...descendants(one)]);
}

/** Errors of the command line quote it, and it may have been pasted: only the lines of the error itself are lines. */
function escapeLines(text: string, quoted: readonly string[]): string {
  return quoted
    .reduce((escaped, one) => (one === '' ? escaped : escaped.replaceAll(one, () => escapeText(one))), text)
    .split('\n')
    .map((line) => escapeText(line))
    .join('\n');
}
