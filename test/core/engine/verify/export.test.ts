import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { verifyExport, type ChainFault, type Client, type Verification } from 'holdpoint';
import { rejection, World } from '../../../support/world.js';
import { DONE, recordsFile, worldOf } from './records.js';

type Row = Record<string, unknown>;
type Line = Readonly<Record<string, Row>>;

async function linesOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

async function* stream(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const parsed = (line: string): Line => JSON.parse(line) as Line;

describe('an exported record', () => {
  let file: Buffer;
  let world: World;
  let client: Client;
  let lines: string[];

  before(async () => {
    file = await recordsFile();
  });
  beforeEach(async () => {
    world = worldOf(file);
    client = await world.client();
    lines = await linesOf(client.runs.export(DONE));
  });
  afterEach(() => world.close());

  const verify = (changed: readonly string[], head?: string): Promise<Verification> =>
    verifyExport(stream(changed), head === undefined ? {} : { head });

  async function faultOf(changed: readonly string[]): Promise<ChainFault | null> {
    return (await verify(changed)).fault;
  }

  /** The place of the nth line of a part. */
  function place(part: string, nth = 1): number {
    const places = lines.flatMap((line, at) => (part in parsed(line) ? [at] : []));
    return places.at(nth < 0 ? nth : nth - 1)!;
  }

  function edited(at: number, part: string, columns: Row): string[] {
    return lines.with(at, JSON.stringify({ [part]: { ...parsed(lines[at]!)[part], ...columns } }));
  }

  it('S11: has every row as it is stored, under the names of its columns', () => {
    const db = world.sql();
    const stored = (table: string, where: string, by: string): unknown[] =>
      db.prepare(`SELECT * FROM holdpoint_${table} WHERE ${where} ORDER BY ${by}`).all(DONE);
    const rows = (part: string): unknown[] => lines.map(parsed).flatMap((line) => (part in line ? [line[part]] : []));
    expect(rows('run')).to.deep.equal(stored('runs', 'id = ?', 'seq'));
    expect(rows('event')).to.deep.equal(stored('events', 'run_id = ?', 'idx'));
    expect(rows('step')).to.deep.equal(stored('steps', 'run_id = ?', 'idx'));
    expect(rows('approval')).to.deep.equal(stored('approvals', 'run_id = ?', 'seq'));
    const specs = 'hash IN (SELECT spec_hash FROM holdpoint_steps WHERE run_id = ?)';
    expect(rows('spec')).to.have.deep.members(stored('tool_specs', specs, 'hash'));
    expect(parsed(lines[0]!)).to.deep.equal({ format: 'holdpoint-run', version: 1 });
    expect(parsed(lines.at(-1)!).end).to.deep.equal({ run: 1, event: 19, step: 3, approval: 1, spec: 2 });
  });

  it('S11: is verified from its file, without the database', async () => {
    const { headHash } = await client.runs.get(DONE);
    await world.close();
    world = new World();
    const path = join(world.dir, 'run.jsonl');
    await writeFile(path, lines);
    const file = createReadStream(path);
    const closed = once(file, 'close');
    const whole = { ok: true, runs: 1, events: 19, fault: null };
    expect(await verifyExport(createInterface({ input: file }), { head: headHash })).to.deep.equal(whole);
    // A stream closes its file after its last line was read.
    await closed;
    const other = await verify(lines, headHash.replace(/^./, headHash.startsWith('0') ? '1' : '0'));
    expect(other.fault).to.include({ message: 'the chain does not hold the head that was kept' });
  });

  it('S11: is a line a row, even for readers that take other characters for the end of one', async () => {
    world.sql().prepare(`UPDATE holdpoint_runs SET goal = ? WHERE id = ?`).run('a\u2028b\u2029c\nd', DONE);
    const exported = await linesOf(client.runs.export(DONE));
    expect(exported.map((line) => line.split(/[\n\u2028\u2029]/).length)).to.deep.equal(lines.map(() => 2));
    expect(parsed(exported[1]!).run).to.include({ goal: 'a\u2028b\u2029c\nd' });
  });

  it('S11: a changed column is found, whichever it is', async () => {
    for (const [at, line] of lines.entries()) {
      const [part = ''] = Object.keys(parsed(line));
      if (at === 0 || part === 'end') continue;
      for (const [column, value] of Object.entries(parsed(line)[part]!)) {
        if (column === 'seq' || column === 'active_ms') continue;
        for (const other of [
          value === null ? 'x' : null,
          typeof value === 'number' ? value + 1 : 9,
          { bytes: 'eA==' },
        ]) {
          const fault = await faultOf(edited(at, part, { [column]: other }));
          expect(fault, `${part}.${column} = ${JSON.stringify(other)}`).not.to.be.null;
        }
      }
    }
  });

  it('S11: a deleted, a doubled, a swapped and a foreign line are found', async () => {
    const other = await linesOf(client.runs.export('rejected'));
    for (let at = 2; at < lines.length - 1; at += 1) {
      expect(await faultOf(lines.toSpliced(at, 1)), `without line ${at + 1}`).not.to.be.null;
      expect(await faultOf(lines.toSpliced(at, 0, lines[at]!)), `line ${at + 1} twice`).not.to.be.null;
    }
    const swapped = lines
      .with(place('event', 3), lines[place('event', 4)]!)
      .with(place('event', 4), lines[place('event', 3)]!);
    expect(await faultOf(swapped)).to.include({ where: 'event 3', index: 3 });
    expect(await faultOf(lines.with(place('event', 3), other[place('event', 3)]!))).to.include({ where: 'event 3' });
    expect(await faultOf(lines.toSpliced(2, 0, lines[1]!))).to.include({ where: 'run' });
  });

  it('S11: an edited status, approval and lease are named', async () => {
    expect(await faultOf(edited(1, 'run', { status: 'RUNNING' }))).to.include({ where: 'run', field: 'status' });
    const lease = edited(1, 'run', { lease_owner: 'mallory', lease_expires_at: 1 });
    expect(await faultOf(lease)).to.include({ where: 'run', field: 'lease_owner' });
    const decided = edited(place('approval'), 'approval', { decided_by: 'mallory' });
    expect(await faultOf(decided)).to.include({ field: 'decided_by', expected: 'ann', found: 'mallory' });
  });

  it('S11: a file that was cut says so, wherever', async () => {
    for (let length = 2; length < lines.length; length += 1) {
      expect(await faultOf(lines.slice(0, length))).to.include({ where: 'file' });
    }
    const end = { end: { ...parsed(lines.at(-1)!).end, spec: 3 } };
    expect(await faultOf(lines.with(-1, JSON.stringify(end)))).to.include({ where: 'file', expected: '3 of spec' });
  });

  for (const [what, change, says] of [
    ['is empty', () => [], 'line 1 is no line of an export: the file holds no run'],
    ['is not JSON', () => lines.with(3, 'hunter2'), 'line 4 is no line of an export: it is not JSON'],
    ['is JSON of another kind', () => lines.with(3, '[]'), 'line 4 .*: it is not a JSON object'],
    ['is of another format', () => lines.with(0, '{"format":"other","version":1}'), 'line 1 .*begin'],
    [
      'is of a newer version',
      () => lines.with(0, '{"format":"holdpoint-run","version":2}'),
      'line 1 .*version 2.*reads 1',
    ],
    ['has no header', () => lines.slice(1), 'line 1 .*begin'],
    ['has no run', () => lines.toSpliced(1, 1), 'line 2 .*the first row of an export is the run'],
    ['has a row of an unknown part', () => lines.with(3, '{"hunter2":{}}'), 'line 4 .*it is none of run, event'],
    ['has rows in another order', () => lines.toSpliced(-1, 0, lines[2]!), `line \\d+ .*event after spec`],
    ['has rows after its last line', () => [...lines, lines.at(-1)!], `line \\d+ .*end after end`],
    ['has a row that is no object', () => lines.with(3, '{"event":1}'), 'line 4 .*event is not an object'],
    ['has an unknown column', () => edited(3, 'event', { hunter2: 1 }), 'line 4 .*no column'],
    ['has a value of another type', () => edited(3, 'event', { idx: true }), 'line 4 .*event.idx is neither'],
    ['has a value that is an object', () => edited(3, 'event', { payload: {} }), 'line 4 .*event.payload is neither'],
    ['has no counts', () => lines.with(-1, '{"end":{}}'), 'end does not count run'],
  ] as const satisfies [string, () => string[], string][]) {
    it(`S11: a file that ${what} is no export, and its line is named`, async () => {
      const error = await rejection(verify(change()));
      expect(error).to.include({ code: 'INVALID_ARGUMENT' });
      expect(error.message).to.match(new RegExp(says));
      expect(error.message).not.to.include('hunter2');
    });
  }

  it('S11: is refused if it is not lines, or the head is none', async () => {
    for (const wrong of [null, 7, {}, undefined] as never[]) {
      expect(await rejection(verifyExport(wrong))).to.include({ code: 'INVALID_ARGUMENT' });
    }
    expect(await rejection(verify(lines, 'head'))).to.include({ code: 'INVALID_ARGUMENT' });
    expect(await rejection(verifyExport(stream([1] as never)))).to.include({ code: 'INVALID_ARGUMENT' });
  });

  it('S11: is of a run that exists', async () => {
    expect(await rejection(linesOf(client.runs.export('nobody')))).to.include({ code: 'NOT_FOUND' });
    expect(await rejection(linesOf(client.runs.export('no id')))).to.include({ code: 'INVALID_ARGUMENT' });
  });
});
