/**
 * `npm run check` is trusted because each of its rules is seen here to refuse a fault planted for it.
 *
 * - The scripts and settings are those of the repository, copied with a small tree of sources into a directory of its own.
 * - Each tool runs once over all faults; each test then looks for one of them in what the tool said.
 */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPANIONS, FORMAT_FAULTS, IMPORT_FAULTS, LINT_FAULTS, SOUND, TYPE_FAULTS, type Fault } from './faults.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SETTINGS = ['package.json', 'tsconfig.json', '.prettierrc.json', '.prettierignore', '.config'];
const IMPORT_RULES = '.dependency-cruiser.cjs';

interface Outcome {
  readonly code: number;
  /** Each fault that the tool named, as `file: rule`. */
  readonly named: ReadonlySet<string>;
}

async function plant(directory: string): Promise<void> {
  for (const path of [...SETTINGS, IMPORT_RULES]) {
    await cp(join(ROOT, path), join(directory, path), { recursive: true });
  }
  const faults = [...IMPORT_FAULTS, ...LINT_FAULTS, ...TYPE_FAULTS, ...FORMAT_FAULTS];
  const planted = faults.map(({ file, source }): [string, string] => [file, source]);
  for (const [file, source] of [...Object.entries({ ...SOUND, ...COMPANIONS }), ...planted]) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await writeFile(join(directory, file), source);
  }
}

function runScript(directory: string, script: string, args: string[] = []): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const command = ['run', '--silent', script, '--', ...args];
    // The coverage of the tools themselves is of no interest, and slow to write.
    // The output is read line by line: no colour, whatever the machine says of itself (CI=true turns it on).
    const { CI: _ci, FORCE_COLOR: _force, ...inherited } = process.env;
    const env = { ...inherited, NO_COLOR: '1', NODE_V8_COVERAGE: undefined };
    execFile('npm', command, { cwd: directory, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}\n${stderr}` });
    });
  });
}

/** Runs a script that prints one fault a line, and reads file and rule from the groups of `pattern`. */
async function runLines(directory: string, script: string, pattern: RegExp): Promise<Outcome> {
  const { code, output } = await runScript(directory, script);
  const matches = [...output.matchAll(pattern)];
  return { code, named: new Set(matches.map(({ groups }) => `${groups?.file}: ${groups?.rule}`)) };
}

async function runLint(directory: string): Promise<Outcome> {
  const { code, output } = await runScript(directory, 'lint', ['--format', 'json']);
  const results = JSON.parse(output) as { filePath: string; messages: { ruleId: string | null }[] }[];
  const named = results.flatMap(({ filePath, messages }) =>
    // A message without a rule is about an eslint-disable comment.
    messages.map(({ ruleId }) => `${relative(directory, filePath)}: ${ruleId ?? 'opt-out'}`),
  );
  return { code, named: new Set(named) };
}

describe('npm run check', () => {
  let directory: string;
  let outcomes: Record<'format' | 'lint' | 'imports' | 'types', Outcome>;

  before(async function () {
    this.timeout(120_000);
    directory = await mkdtemp(join(ROOT, 'dist', 'check-'));
    await plant(directory);
    const [format, lint, imports, types] = await Promise.all([
      runLines(directory, 'format:check', /^(?<rule>\[warn\]) (?<file>\S+\.\w+)$/gm),
      runLint(directory),
      runLines(directory, 'lint:imports', /^ *error (?<rule>[\w-]+): (?<file>\S+)/gm),
      runLines(directory, 'build', /^(?<file>\S+)\(\d+,\d+\): error (?<rule>TS\d+)/gm),
    ]);
    outcomes = { format, lint, imports, types };
  });

  after(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  const planted: [keyof typeof outcomes, readonly Fault[]][] = [
    ['format', FORMAT_FAULTS],
    ['lint', LINT_FAULTS],
    ['imports', IMPORT_FAULTS],
    ['types', TYPE_FAULTS],
  ];
  for (const [stage, faults] of planted) {
    for (const { title, rule, file } of faults) {
      it(`check: refuses ${title}`, () => {
        expect(outcomes[stage].code).not.to.equal(0);
        expect([...outcomes[stage].named]).to.include(`${file}: ${rule}`);
      });
    }

    it(`check: ${stage} accepts what keeps the rules`, () => {
      const named = [...outcomes[stage].named].map((fault) => fault.split(': ')[0]);
      expect(named).not.to.include.any.members(Object.keys(SOUND));
    });
  }

  it('check: has a planted fault for every import rule', () => {
    const config = createRequire(import.meta.url)(join(ROOT, IMPORT_RULES)) as { forbidden: { name: string }[] };
    const rules = config.forbidden.map(({ name }) => name);
    expect(IMPORT_FAULTS.map(({ rule }) => rule)).to.have.members(rules);
  });
});
