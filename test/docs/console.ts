/**
 * What the console blocks of a page show is run, in order, in a folder of the page's own.
 *
 * - `$ node main.js` and `$ npx mocha a.test.js` run a snippet, `$ npx holdpoint …` the command line; `$ export NAME=value`
 *   is for those below it.
 * - Where the output that is shown answers a question, the command runs on a pseudo-terminal, and the answer is typed.
 * - Ids, hashes and times differ each time. The first id that is printed stands for the first that is shown, and so on,
 *   also in the commands below.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { SHORT_LIVED } from '../support/child.js';
import { holdpointHere, MAIN, onTerminal, textOf } from '../support/cli.js';
import { blocksOf, ROOT, type Page } from './pages.js';

const MOCHA = join(ROOT, 'node_modules/mocha/bin/mocha.js');
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{64}\b/g;
const QUESTION = /^Type \w+ to .*: (\w*)$/m;

/** A command line of words only. */
const PLAIN = /^npx holdpoint(?: +[\w./:@=,-]+)*$/;

/** One command, as it is shown, and the output below it. */
export interface Command {
  readonly line: string;
  readonly output: string;
}

/** The commands of a page's console blocks. */
export function commandsOf(page: Page): Command[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'console')
    .flatMap(({ text, line }) => {
      const parts = text.split(/^\$ /m).slice(1);
      if (!text.startsWith('$ ')) throw new Error(`${page.path}:${line}: a console block begins with a command`);
      return parts.map((part) => {
        const [, shown = '', output = ''] =
          /^((?:node|npx mocha|npx holdpoint|export) .+)\n([\s\S]*)$/.exec(part) ?? [];
        if (shown === '') throw new Error(`${page.path}:${line}: only node, mocha and holdpoint are run: ${part}`);
        return { line: shown, output };
      });
    });
}

/** A shell in a folder of a page's own; `directory` holds the compiled snippets. */
export class Console {
  readonly #env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_V8_COVERAGE: undefined,
    NO_COLOR: '1',
    HOLDPOINT_STORE: '',
  };
  /** What stands on the page, by what is printed instead. */
  readonly #shown = new Map<string, string>();

  constructor(
    private readonly directory: string,
    private readonly cwd: string,
  ) {}

  /** What the command prints, as it would stand on the page. */
  async run({ line, output }: Command): Promise<string> {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      this.#env[name] = value;
      return '';
    }
    const printed = await this.#printed(line, output);
    if (!line.startsWith('npx holdpoint')) return printed;
    this.#pair(output, printed);
    return printed.replace(ID, (id) => this.#shown.get(id) ?? id);
  }

  async #printed(line: string, output: string): Promise<string> {
    if (line.startsWith('node ')) return this.#node([...SHORT_LIVED, join(this.directory, line.slice('node '.length))]);
    if (line.startsWith('npx mocha ')) {
      return timeless(
        this.#node([MOCHA, '--no-config', '--no-color', join(this.directory, line.slice('npx mocha '.length))]),
      );
    }
    const actual = new Map([...this.#shown].map(([printed, shown]) => [shown, printed]));
    const command = line.replace(ID, (id) => actual.get(id) ?? id);
    const real = command.replace('npx holdpoint', `'${process.execPath}' ${SHORT_LIVED.join(' ')} '${MAIN}'`);
    const typed = QUESTION.exec(output);
    const { env, cwd } = { env: this.#env, cwd: this.cwd };
    if (typed) return textOf(await onTerminal(real, { env, cwd }, { types: typed[1] ?? '' }));
    if (PLAIN.test(command)) return this.#here(command.split(/ +/).slice(2));
    const { stdout, stderr } = spawnSync('sh', ['-c', real], { env, cwd, encoding: 'utf8' });
    return stdout + stderr;
  }

  /** In this process, which stands in the page's folder meanwhile: nothing of such a line is the shell's. */
  async #here(args: readonly string[]): Promise<string> {
    const before = process.cwd();
    process.chdir(this.cwd);
    try {
      const { out, err } = await holdpointHere(args, { env: this.#env });
      return out + err;
    } finally {
      process.chdir(before);
    }
  }

  #node(args: readonly string[]): string {
    const options = { cwd: this.cwd, env: { ...this.#env, FORCE_COLOR: '0' }, timeout: 60_000 };
    const { stdout, stderr, signal } = spawnSync(process.execPath, args, { ...options, encoding: 'utf8' });
    return stdout + stderr + (signal === 'SIGKILL' ? 'Killed\n' : '');
  }

  #pair(output: string, printed: string): void {
    const known = new Set(this.#shown.values());
    const shown = [...new Set(output.match(ID) ?? [])].filter((id) => !known.has(id));
    const found = [...new Set(printed.match(ID) ?? [])].filter((id) => !this.#shown.has(id));
    found.forEach((id, at) => this.#shown.set(id, shown[at] ?? id));
  }
}

/** An output of the command line without its times, the width of its columns, and what is drawn at random. */
export function comparable({ line, output }: Command): Command {
  if (!line.startsWith('npx holdpoint')) return { line, output };
  const same = output
    .replace(/\b(?:now|(?:in )?\d+ (?:second|minute|hour|day)s?(?: ago)?) \(/g, 'TIME (')
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'DATE')
    .replace(/\b\d{13}\b/g, 'MS')
    .replace(/-[0-9a-f]{12}\b/g, '-SUFFIX')
    .replace(/ +/g, ' ');
  return { line, output: same };
}

/** What mocha prints, without times, and without the lines of a stack, which are a machine's own. */
function timeless(output: string): string {
  return output
    .replace(/ \(\d+m?s\)$/gm, '')
    .replace(/^ +at .*\n/gm, '')
    .replace(/ +$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '\n')
    .replace(/\n*$/, '\n');
}
