import { userInfo } from 'node:os';
import { Command, InvalidArgumentError as InvalidOption, Option } from 'commander';
import { systemClock, type Clock } from '../../core/clock.js';
import { HoldpointError, InvalidArgumentError, NotFoundError } from '../../core/errors.js';
import { Client } from '../client.js';
import { printableJson } from '../../core/model/printable-json.js';
import { Terminal, type Streams } from './terminal.js';

/** The exit codes (documented in docs/operating.md). */
export const EXIT = { done: 0, refused: 1, usage: 2 } as const;

/** Options that every command on a store has. */
export interface StoreOptions {
  readonly store?: string;
  readonly json?: true;
}

/** What a command works with. */
export interface Context {
  readonly streams: Streams;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Ends the command with this exit code. */
  exit(code: number): void;
}

export function contextOf(streams: Streams, exit: (code: number) => void): Context {
  return { streams, exit, terminal: new Terminal(streams.output, streams.env), clock: systemClock };
}

/** A command on a store, with the example that its help ends with. */
export function storeCommand(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .addOption(new Option('--store <file>', 'the database (default: $HOLDPOINT_STORE)'))
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', `\nExample:\n  $ ${example}`);
}

/** Opens the store that a command was given, and closes it after. The file is never created or migrated. */
export async function withClient(
  context: Context,
  options: StoreOptions & { readonly approvers?: readonly string[] },
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const { approvers } = options;
  const store = storeOf(context, options);
  await using client = await Client.open(approvers === undefined ? { store } : { store, approvers });
  await work(client);
}

export function storeOf({ streams }: Context, { store = streams.env.HOLDPOINT_STORE }: StoreOptions): string {
  if (store) return store;
  throw new InvalidArgumentError('which store? Give --store FILE, or set HOLDPOINT_STORE');
}

/** One line of JSON, for programs. */
export function printJson({ streams }: Context, value: unknown): void {
  streams.output.write(`${printableJson(value)}\n`);
}

/** Tells what went wrong, and with which code the command ends. */
export function report(streams: Streams, error: unknown, asJson: boolean): number {
  const known = error instanceof HoldpointError;
  const message = `${error instanceof Error ? error.message : String(error)}${hintOf(error)}`;
  const code = known ? error.code : 'INTERNAL';
  if (asJson) streams.errors.write(`${printableJson({ error: { code, message } })}\n`);
  else new Terminal(streams.errors, streams.env).line(`holdpoint: ${message}`);
  return code === 'INVALID_ARGUMENT' || code === 'INVALID_JSON' ? EXIT.usage : EXIT.refused;
}

/** Where the ids are that are known. */
function hintOf(error: unknown): string {
  if (!(error instanceof NotFoundError)) return '';
  if (error.kind === 'run') return '; `holdpoint runs` lists them';
  return error.kind === 'approval' ? '; `holdpoint approvals --all` lists them' : '';
}

/** Collects an option that may be given more than once. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** A whole number on the command line. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidOption('it must be a whole number.');
}

/** Who decides, unless it is said: the user of this machine, also behind `sudo`. */
export function thisUser({ env }: Streams): string {
  if (env.SUDO_USER) return env.SUDO_USER;
  try {
    return userInfo().username;
  } catch {
    throw new InvalidArgumentError('this machine has no name for its user; say who decides with --by NAME');
  }
}
