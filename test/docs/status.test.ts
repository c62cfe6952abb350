/**
 * docs/status.md is the map from clause to test. It names what exists, and leaves nothing out.
 *
 * The titles are those that mocha lists without running anything: titles that are made in loops are there too.
 */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { page, ROOT, rowsOf } from './pages.js';

/** A test as the map names it. */
interface Named {
  /** From the root of the repository. */
  readonly file: string;
  readonly title: string;
}

interface Row {
  readonly clause: string;
  readonly state: string;
  readonly tests: readonly Named[];
  readonly missing: string;
}

const CLAUSE = /[SLIAPF]\d+/;
const CLAUSES = new RegExp(`(?<![\\w.])((?:${CLAUSE.source})(?:(?:, |–)${CLAUSE.source})*): `, 'g');

/** The clauses that a title names: `A3, P1: …`, `I1–I8: …`. */
function clausesOf(title: string): string[] {
  return [...title.matchAll(CLAUSES)].flatMap(([, list = '']) => list.split(', ').flatMap(rangeOf));
}

function rangeOf(part: string): string[] {
  const [first = '', last = first] = part.split('–');
  const [from, to] = [Number(first.slice(1)), Number(last.slice(1))];
  return Array.from({ length: to - from + 1 }, (_, step) => `${first.slice(0, 1)}${from + step}`);
}

/** Every test of the suite, by the source file that it is compiled from. */
function listTests(): Named[] {
  const sources = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('fixtures'))
    .map((path) => join('test', path));
  const compiled = sources.map((path) => join('dist', path.replace(/\.ts$/, '.js')));
  const directory = mkdtempSync(join(tmpdir(), 'titles-'));
  try {
    const output = join(directory, 'titles.json');
    const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
    const how = ['--no-config', '--dry-run', '--reporter', 'json', '--reporter-option', `output=${output}`];
    const { status, stderr } = spawnSync(process.execPath, [mocha, ...how, ...compiled], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, NODE_V8_COVERAGE: undefined },
    });
    expect(status, stderr).to.equal(0);
    const { tests } = JSON.parse(readFileSync(output, 'utf8')) as { tests: { fullTitle: string; file: string }[] };
    return tests.map(({ fullTitle, file }) => ({
      title: fullTitle,
      file: relative(join(ROOT, 'dist'), file).replace(/\.js$/, '.ts'),
    }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function rows(): Row[] {
  return rowsOf(page('docs/status.md'))
    .filter(([clause = '']) => new RegExp(`^${CLAUSE.source}$`).test(clause))
    .map(([clause = '', state = '', tests = '', missing = '']) => ({
      clause,
      state,
      missing,
      tests: tests === '' ? [] : tests.split('<br>').map(namedIn),
    }));
}

function namedIn(entry: string): Named {
  const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(entry.trim()) ?? [];
  return { file, title };
}

/** The clauses of the contract and the cases from the field, in order. */
function promised(): string[] {
  const clauses = [...page('docs/contract.md').text.matchAll(/^- \*\*([SLIAP]\d+)\*\* /gm)].map(([, id = '']) => id);
  const cases = rowsOf(page('docs/cases.md')).flatMap(([id = '']) => (/^F\d+$/.test(id) ? [id] : []));
  return [...clauses, ...cases];
}

describe('docs/status.md', () => {
  let map: Row[];
  let tests: Named[];

  before(() => {
    map = rows();
    tests = listTests();
  });

  it('has one row for every clause of the contract and every case from the field, in order', () => {
    const clauses = promised();
    expect(clauses).to.have.length.above(60);
    expect(map.map(({ clause }) => clause)).to.deep.equal(clauses);
  });

  it('names only tests that exist, in the file that it names', () => {
    const existing = new Set(tests.map(({ file, title }) => `${file}: ${title}`));
    const named = map.flatMap((row) => row.tests.map(({ file, title }) => `${file}: ${title}`));
    expect(named.filter((test) => !existing.has(test))).to.deep.equal([]);
  });

  it('names only tests whose title names the clause', () => {
    const astray = map.flatMap(({ clause, tests: named }) =>
      named.filter(({ title }) => !clausesOf(title).includes(clause)).map(({ title }) => `${clause}: ${title}`),
    );
    expect(astray).to.deep.equal([]);
  });

  it('names tests for every clause that the title of a test names', () => {
    const mapped = map.filter((row) => row.tests.length > 0).map(({ clause }) => clause);
    const named = new Set(tests.flatMap(({ title }) => clausesOf(title)));
    expect([...named].filter((clause) => !mapped.includes(clause))).to.deep.equal([]);
  });

  it('says of each clause that it is proved, partly proved with what is missing, or not yet', () => {
    const wrong = map.filter(({ state, tests: named, missing }) => {
      if (state === 'proved') return named.length === 0 || missing !== '';
      if (state === 'partly') return named.length === 0 || missing === '';
      return state !== 'not yet' || named.length > 0 || missing === '';
    });
    expect(wrong.map(({ clause }) => clause)).to.deep.equal([]);
  });
});
