/**
 * What the README and the pages in docs show as code compiles, and what they show as output is printed.
 *
 * - A `ts` block after `<!-- file: main.ts -->` is that file. All pages share one folder, so a later page may build on the
 *   files of the README. One without a marker is a file of its own.
 * - `<!-- file: a.test.ts, run -->` is also run, and must succeed; with `mocha` instead of `run`, under mocha.
 * - What the console blocks show is run and compared: see `console.ts`.
 */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import ts from 'typescript';
import { SHORT_LIVED } from '../support/child.js';
import { commandsOf, comparable, Console, type Command } from './console.js';
import { blocksOf, pages, ROOT, type Block, type Page } from './pages.js';

const MOCHA = join(ROOT, 'node_modules/mocha/bin/mocha.js');

interface Snippet {
  readonly file: string;
  /** What runs it, if it is to be run: node itself, or mocha. */
  readonly runner: string | null;
  /** Where it stands, for a message. */
  readonly where: string;
  readonly text: string;
}

function snippetsOf(page: Page): Snippet[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'ts')
    .map((block) => snippetOf(page, block));
}

function snippetOf({ path }: Page, { marker, line, text }: Block): Snippet {
  const [, file, runner = null] = /^file: ([\w.-]+\.ts)(?:, (run|mocha))?$/.exec(marker ?? '') ?? [];
  if (marker !== null && file === undefined) throw new Error(`${path}:${line}: the marker "${marker}" is not known`);
  const anonymous = `${basename(path, '.md').toLowerCase()}-${line}.ts`;
  return { file: file ?? anonymous, runner, where: `${path}:${line}`, text };
}

/** The compiler options of a tsconfig.json, for sources in `directory`. */
function optionsOf(json: unknown, directory: string): ts.CompilerOptions {
  const { options, errors } = ts.convertCompilerOptionsFromJson(json, ROOT);
  if (errors.length > 0) throw new Error(errors.map(messageOf).join('\n'));
  delete options.tsBuildInfoFile;
  const where = { rootDir: directory, outDir: directory };
  return { ...options, ...where, declaration: false, incremental: false, sourceMap: false, inlineSources: false };
}

function packageOptions(): unknown {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as {
    config: { compilerOptions: unknown };
  };
  return config.compilerOptions;
}

/** What the README tells a user to write. */
function readmeOptions(): unknown {
  const readme = pages().find(({ path }) => path === 'README.md')!;
  const block = blocksOf(readme).find(({ marker }) => marker === 'file: tsconfig.json');
  return (JSON.parse(block?.text ?? '{}') as { compilerOptions: unknown }).compilerOptions;
}

/** Compiles the files; returns what is wrong with them, each by the place of its snippet. */
function compile(
  directory: string,
  snippets: readonly Snippet[],
  json: unknown,
  more: ts.CompilerOptions = {},
): string[] {
  const files = snippets.map(({ file }) => join(directory, file));
  const program = ts.createProgram(files, { ...optionsOf(json, directory), ...more });
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ file, start = 0, messageText }) => {
    const name = relative(directory, file?.fileName ?? '');
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    const where = snippets.find((snippet) => snippet.file === name)?.where ?? name;
    return `${where}, line ${line} of the snippet: ${messageOf({ messageText })}`;
  });
}

function messageOf({ messageText }: Pick<ts.Diagnostic, 'messageText'>): string {
  return ts.flattenDiagnosticMessageText(messageText, '\n');
}

describe('the snippets of the documentation', function () {
  this.timeout(120_000);
  const all = pages().filter(({ path }) => /^(README|docs\/[^/]+)\.md$/.test(path));
  const snippets = all.flatMap(snippetsOf);
  let directory: string;
  let faults: string[];

  before(() => {
    // Inside dist, so that `holdpoint` is this package and its dependencies are found.
    directory = mkdtempSync(join(ROOT, 'dist', 'docs-'));
    for (const { file, text } of snippets) writeFileSync(join(directory, file), text);
    faults = compile(directory, snippets, packageOptions());
  });

  after(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('stand each below its marker', () => {
    const markers = all.flatMap(({ text }) => text.match(/^<!-- .+ -->$/gm) ?? []);
    const marked = all.flatMap(blocksOf).filter(({ marker }) => marker !== null);
    expect(marked).to.have.length(markers.length);
  });

  it('have each a name of their own', () => {
    const names = snippets.map(({ file }) => file);
    expect(names.filter((name, index) => names.indexOf(name) < index)).to.deep.equal([]);
  });

  it('compile under the options of this package', () => {
    expect(faults).to.deep.equal([]);
  });

  it('compile under the options that the README tells a user to set', () => {
    expect(compile(directory, snippets, readmeOptions(), { noEmit: true, skipLibCheck: true })).to.deep.equal([]);
  });

  for (const { file, runner, where } of snippets.filter((snippet) => snippet.runner !== null)) {
    it(`run without a fault: ${where.replace(/:\d+$/, '')}, ${file}`, () => {
      const mocha = runner === 'mocha' ? [MOCHA, '--no-config'] : [];
      const program = join(directory, file.replace(/\.ts$/, '.js'));
      const { status, stdout, stderr } = spawnSync(process.execPath, [...SHORT_LIVED, ...mocha, program], {
        cwd: directory,
        encoding: 'utf8',
        env: { ...process.env, NODE_V8_COVERAGE: undefined, NODE_TEST_CONTEXT: undefined },
      });
      expect(status, stdout + stderr).to.equal(0);
    });
  }

  for (const page of all.filter((one) => commandsOf(one).length > 0)) {
    it(`print what is shown: ${page.path}`, async () => {
      const cwd = join(directory, page.path.replace(/\W/g, '-'));
      mkdirSync(cwd);
      const shell = new Console(directory, cwd);
      const printed: Command[] = [];
      for (const command of commandsOf(page)) printed.push({ line: command.line, output: await shell.run(command) });
      expect(printed.map(comparable)).to.deep.equal(commandsOf(page).map(comparable));
    });
  }
});
