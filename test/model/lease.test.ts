/**
 * The model of docs/model is checked by Spin wherever Spin is, and in CI. Elsewhere only its page is compared with it:
 * a machine with Node, npm and a C++ toolchain passes the suite.
 */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { page, ROOT, rowsOf } from '../docs/pages.js';

const DIRECTORY = join(ROOT, 'docs/model');
const PAGE = page('docs/model/README.md');
const MODEL = readFileSync(join(DIRECTORY, 'lease.pml'), 'utf8').split('\n');

/** The law of an assertion, or of the formula, as it stands beside it: `law: a call is the first … (I2, I6)`. */
const LAW = /\/\* law: (?<law>.+?) \((?<clauses>[^)]+)\) \*\//;
/** The law that no assertion can state. */
const ENDS = 'there is no run that nobody can move';

interface Fault {
  readonly name: string;
  readonly law: string;
}

/** What `check.sh` says of one size of the model. */
interface Checked {
  /** 0 for no error, 1 for one. */
  readonly status: number | null;
  readonly report: string;
}

function faults(): Fault[] {
  return rowsOf(PAGE)
    .filter((cells) => cells.length === 3 && /^`[A-Z_]+`$/.test(cells[0] ?? ''))
    .map(([name = '', , law = '']) => ({ name: name.slice(1, -1), law }))
    .filter(({ law }) => laws().has(law));
}

/** Every law of the model, with its clauses. */
function laws(): Map<string, string> {
  return new Map(MODEL.flatMap((line) => lawsOf(line)));
}

function lawsOf(line: string): [string, string][] {
  const { law, clauses } = LAW.exec(line)?.groups ?? {};
  return law && clauses ? [[law, clauses]] : [];
}

function check(...options: string[]): Checked {
  // To optimize takes longer than it saves, but for the one search that is long.
  const env = { ...process.env, OPTIMIZE: options.length > 0 ? '-O0' : '-O1' };
  const { status, stdout, stderr } = spawnSync(join(DIRECTORY, 'check.sh'), options, {
    encoding: 'utf8',
    env,
    maxBuffer: 1 << 26,
  });
  return { status, report: stdout + stderr };
}

function statesOf({ report }: Checked): number {
  return Number(/(\d+) states, stored/.exec(report)?.[1] ?? 0);
}

/** Statements that no interleaving reaches, but for the ends of processes that never end. */
function unreachedIn({ report }: Checked): string[] {
  return [...report.matchAll(/^\t(lease\.pml:\d+, state \d+, .*)$/gm)]
    .map(([, statement = '']) => statement)
    .filter((statement) => !statement.includes('-end-'));
}

/** The law that the first error breaks: the one beside the assertion, or that every run ends. */
function brokenLaw({ report }: Checked): string | undefined {
  if (report.includes('acceptance cycle (at depth')) return ENDS;
  const [, line = '0'] = /lease\.pml:(\d+), Error: assertion violated/.exec(report) ?? [];
  return lawsOf(MODEL[Number(line) - 1] ?? '')[0]?.[0];
}

function runs(command: string, ...options: string[]): boolean {
  return spawnSync(command, options, { stdio: 'ignore' }).status === 0;
}

function hasSpin(): boolean {
  return runs('spin', '-V') && runs('cc', '--version');
}

/** Whether Debian's package could be installed here; nothing is installed by asking. */
function canInstall(): boolean {
  return process.getuid?.() === 0 && runs('apt-get', 'install', '--simulate', 'spin');
}

function installSpin(): void {
  if (hasSpin()) return;
  if (canInstall()) runs('apt-get', 'install', '--yes', 'spin');
  expect(hasSpin(), 'the model is checked in CI: install spin and a C compiler (apt-get install spin gcc)').to.equal(
    true,
  );
}

describe('the model of the lease', () => {
  it('has a page that lists each of its laws, with its clauses', () => {
    const listed = rowsOf(PAGE).flatMap((cells) => (cells.length === 2 ? [cells] : []));
    expect(laws().size).to.be.above(8);
    expect(listed).to.deep.include.members([...laws()]);
  });

  it('has a page that lists each of its planted faults, with the law that it breaks', () => {
    const planted = new Set(MODEL.flatMap((line) => /^#ifn?def FAULT_(\w+)$/.exec(line)?.slice(1) ?? []));
    expect(new Set(faults().map(({ name }) => name))).to.deep.equal(planted);
  });

  it('has an assertion only where a law stands beside it', () => {
    const bare = MODEL.filter((line) => /^\s*assert\(/.test(line) && !LAW.test(line));
    expect(bare).to.deep.equal([]);
  });

  if (hasSpin() || canInstall() || process.env.CI === 'true') defineChecks();
});

function defineChecks(): void {
  describe('checked by Spin', function () {
    this.timeout(600_000);
    before(installSpin);

    it('L3, L4, L5, L7, L8, I2, I4, I6, A3, A4: its laws hold in every interleaving', () => {
      const checked = check();
      expect(checked.status, checked.report).to.equal(0);
      expect(statesOf(checked)).to.be.above(2_000_000);
      expect(unreachedIn(checked)).to.deep.equal([]);
    });

    it('L7, I8, A6: whatever a run was left in, it ends once its owners are left alone and the person answers', () => {
      const checked = check('ends', '-DSTEPS=1');
      expect(checked.status, checked.report).to.equal(0);
      expect(statesOf(checked)).to.be.above(200_000);
    });

    for (const { name, law } of faults()) {
      it(`has its planted fault found: ${name}`, () => {
        const how = law === ENDS ? ['ends'] : [];
        const checked = check(...how, '-DSTEPS=1', `-DFAULT_${name}`);
        expect(checked.status, checked.report).to.equal(1);
        expect(brokenLaw(checked)).to.equal(law);
      });
    }

    it('shows what else a stale renewal breaks: a tool is called after another owner took the run', () => {
      const checked = check('-DSTEPS=1', '-DFAULT_STALE_RENEWAL', '-DTOLERATE_REVIVAL');
      expect(checked.status, checked.report).to.equal(1);
      expect(brokenLaw(checked)).to.equal('nothing is called under a lease that is gone');
    });
  });
}
