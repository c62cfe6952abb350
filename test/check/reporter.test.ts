import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOCHA = join(createRequire(import.meta.url).resolve('mocha/package.json'), '../bin/mocha.js');
const REPORTER = fileURLToPath(new URL('../support/reporter.js', import.meta.url));
const LEAKS = fileURLToPath(new URL('../support/leaks.js', import.meta.url));
const OPTIONS = ['--no-config', '--fail-zero', '--forbid-pending', '--require', LEAKS, '--reporter', REPORTER];
/** As `npm test` runs. */
const TWO_WORKERS = ['--parallel', '--jobs', '2'];

/** One passing test, then `rest`. */
const suite = (rest: string): string => `it('passes', () => {});\n${rest}\n`;

describe('the last line of npm test', () => {
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdpoint-reporter-'));
  });

  after(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  async function lastLine(
    mode: readonly string[],
    source: string,
  ): Promise<{ code: number; line: string | undefined }> {
    const file = join(directory, 'suite.mjs');
    await writeFile(file, source);
    const args = [MOCHA, ...OPTIONS, ...mode, file];
    return new Promise((resolve) => {
      execFile(process.execPath, args, (error, stdout) => {
        resolve({ code: error === null ? 0 : Number(error.code), line: stdout.trimEnd().split('\n').at(-1) });
      });
    });
  }

  const laws: [title: string, source: string, line: string][] = [
    ['counts what passed', suite(''), '1 passed, 0 failed'],
    ['counts a failed test', suite("it('fails', () => { throw new Error('no'); });"), '1 passed, 1 failed'],
    ['counts a failed hook', suite("after(() => { throw new Error('no'); });"), '1 passed, 1 failed'],
    ['counts a skipped test as failed', suite("it.skip('waits', () => {});"), '1 passed, 1 failed'],
    [
      'counts a rejection that nobody handles',
      suite("it('loses', () => void Promise.reject(1));"),
      '2 passed, 1 failed',
    ],
    ['fails a run of no tests', '', '0 passed, 1 failed'],
    [
      'comes after what is printed late',
      suite("after(() => void setTimeout(() => console.log('late')));"),
      '1 passed, 0 failed',
    ],
  ];
  for (const [title, source, line] of laws) {
    it(`check: ${title}`, async () => {
      const failed = !line.endsWith(' 0 failed');
      expect(await lastLine([], source)).to.deep.equal({ code: failed ? 1 : 0, line });
    });
  }

  it('check: says the same of what two workers ran', async () => {
    const source = suite(`it('fails', () => { throw new Error('no'); }); it('loses', () => void Promise.reject(1));`);
    expect(await lastLine(TWO_WORKERS, source)).to.deep.equal({ code: 1, line: '2 passed, 2 failed' });
  });

  it('check: fails a process that exits before the last test', async () => {
    const exits = suite("it('exits', () => process.exit(0));");
    expect(await lastLine([], exits)).to.deep.equal({ code: 1, line: '1 passed, 1 failed' });
  });

  it('check: fails a worker that exits before the last test; it has told nothing of its file', async () => {
    const exits = suite("it('exits', () => process.exit(0));");
    expect(await lastLine(TWO_WORKERS, exits)).to.deep.equal({ code: 1, line: '0 passed, 1 failed' });
  });
});
