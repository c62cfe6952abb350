import { spawn, type ChildProcess } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { execute } from '../../sdk/cli/program.js';
import type { Streams } from '../../sdk/cli/terminal.js';
import { SHORT_LIVED } from './child.js';

/** What `npx holdpoint` runs. */
export const MAIN = fileURLToPath(new URL('../../sdk/cli/main.js', import.meta.url));

/** What a command left: its exit code, and what it wrote. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The real `holdpoint`, in a process of its own, without a terminal. Nothing of this one's environment leads to a store. */
export function holdpoint(
  args: readonly string[],
  options: { readonly store?: string; readonly input?: string; readonly node?: readonly string[] } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...SHORT_LIVED, ...(options.node ?? []), MAIN, ...args], {
    env: envOf(options.store),
  });
  child.stdin.end(options.input ?? '');
  return ended(child);
}

/** What is done at a terminal once something has asked. */
export interface Typing {
  /** What is typed; null types the end of input. */
  readonly types: string | null;
  /** Done first. */
  readonly before?: () => unknown;
}

/** The same on a pseudo-terminal. There both outputs are one. */
export function holdpointOnTerminal(
  args: readonly string[],
  { store, colours, ...typing }: Typing & { readonly store: string; readonly colours?: true },
): Promise<Ended> {
  const env = { ...envOf(store), ...(colours ? {} : { NO_COLOR: '1' }) };
  return onTerminal([process.execPath, ...SHORT_LIVED, MAIN, ...args].map(quoted).join(' '), { env }, typing);
}

/** Runs a shell's line on a pseudo-terminal, and answers what it asks. */
export function onTerminal(
  line: string,
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
  { types, before }: Typing,
): Promise<Ended> {
  const child = spawn('script', ['-qfec', line, '/dev/null'], { ...options, env: { ...options.env, TERM: 'xterm' } });
  let seen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const asked = /Type \w+ to /.test(seen);
    seen += chunk.toString();
    if (asked || !/Type \w+ to /.test(seen)) return;
    before?.();
    child.stdin.write(types === null ? '\x04' : `${types}\n`);
  });
  return ended(child).finally(() => child.stdin.destroy());
}

/** A text as one word of a shell's line. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The same in this process, without a terminal: a process costs half a second. */
export function holdpointHere(
  args: readonly string[],
  {
    store,
    input,
    env = {},
  }: { readonly store?: string; readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const typed = new PassThrough();
  typed.end(input ?? '');
  const [output, errors] = [new Collected(), new Collected()];
  return executed(args, { input: typed, output, errors, env: { ...envOf(store), ...env } });
}

/** The same in this process, to whom its streams are a terminal: what is typed comes, as there, once it has asked. */
export function holdpointAsking(
  args: readonly string[],
  { store, types, before }: Typing & { readonly store: string },
): Promise<Ended> {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new Collected((text) => {
    if (input.writableEnded || !/Type \w+ to /.test(text)) return;
    before?.();
    input.end(types === null ? '' : `${types}\n`);
  });
  return executed(args, { input, output: Object.assign(output, { isTTY: true }), errors: output, env: envOf(store) });
}

async function executed(args: readonly string[], streams: object): Promise<Ended> {
  const { output, errors } = streams as { output: Collected; errors: Collected };
  const code = await execute(args, streams as Streams);
  return { code, out: output.text, err: errors === output ? '' : errors.text };
}

/** A stream that keeps what is written to it. */
class Collected extends Writable {
  text = '';

  constructor(private readonly seen: (text: string) => void = () => undefined) {
    super();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
    this.seen(this.text);
  }
}

/** The text of a terminal, without what moves its cursor. */
export function textOf({ out }: Pick<Ended, 'out'>): string {
  return stripVTControlCharacters(out).replaceAll('\r', '');
}

function envOf(store: string | undefined): NodeJS.ProcessEnv {
  const {
    HOLDPOINT_STORE: _store,
    SUDO_USER: _sudo,
    CI: _ci,
    NO_COLOR: _colour,
    FORCE_COLOR: _forced,
    ...env
  } = process.env;
  return store === undefined ? env : { ...env, HOLDPOINT_STORE: store };
}

function ended(child: ChildProcess): Promise<Ended> {
  const read = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (read.out += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (read.err += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => {
      resolve({ code: code ?? -1, ...read });
    });
  });
}
