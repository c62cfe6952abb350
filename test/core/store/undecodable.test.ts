import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { UndecodableError, type Client } from 'holdpoint';
import { getMetadataArgsStorage } from 'typeorm';
import { ApprovalRow, RunRow, StepRow } from '../../../core/store/entities/index.js';
import { rejection, World } from '../../support/world.js';
import { crashInTool, mailer, outside } from '../../support/crash.js';
import { dump } from './driver.js';
import { waitingOn, waitingRun, type Waiting } from './waiting.js';

const SECRET = 'hunter2';
const NOT_JSON = `{"password":"${SECRET}`;
const NOT_AN_OBJECT = `["${SECRET}"]`;

type Kind = 'run' | 'step' | 'approval' | 'event';

/** One column of one table, and the row of the waiting run that is damaged in it. */
interface Column {
  readonly kind: Kind;
  readonly table: string;
  readonly column: string;
  readonly where: string;
  /** Whether JSON of another kind than an object is damage too. */
  readonly object: boolean;
  readonly text?: boolean;
}

const column = (kind: Kind, name: string, object: boolean): Column => ({
  kind,
  table: `holdpoint_${kind}s`,
  column: name,
  where: {
    run: `id = 'waiting'`,
    step: `run_id = 'waiting' AND idx = 2`,
    approval: `run_id = 'waiting'`,
    event: `run_id = 'waiting' AND idx = 3`,
  }[kind],
  object,
});

const COLUMNS: readonly Column[] = [
  column('run', 'limits', true),
  column('run', 'result', false),
  column('step', 'decision', false),
  column('step', 'raw_decision', true),
  column('step', 'args', false),
  column('step', 'policy', true),
  column('step', 'observation', true),
  column('approval', 'presentation', true),
  column('approval', 'request', true),
  column('approval', 'result', false),
  column('event', 'payload', false),
];

/** Columns of a few words: one that this version does not know is damage too. */
const WORDS = [
  column('run', 'status', false),
  column('step', 'status', false),
  column('step', 'cause', false),
  column('approval', 'status', false),
  column('event', 'type', false),
];

/** Every column of the tables that are decoded, but for `seq`, which the database keeps a number. */
const ALL: readonly Column[] = ([RunRow, StepRow, ApprovalRow] as const).flatMap((entity, at) =>
  getMetadataArgsStorage()
    .filterColumns(entity)
    .filter(({ propertyName }) => propertyName !== 'seq')
    .map(({ propertyName, options }) => ({
      ...column((['run', 'step', 'approval'] as const)[at]!, options.name ?? propertyName, false),
      text: options.type === 'varchar' || options.type === 'text',
    })),
);

/** What a row is found by: without it, it is no row of that run or step any more, or none that can be asked for. */
const FOUND_BY: readonly string[] = ['run.id', 'run.step_count', 'step.run_id', 'step.idx', 'approval.run_id'];

const BYTES = Buffer.from([0, 0xff]);

describe('a row that cannot be decoded', () => {
  let world: World;
  let db: Database.Database;
  let waiting: Waiting;
  let client: Client;
  beforeEach(async () => {
    world = new World();
    const sound = await waitingRun(world, {}, 'sound');
    waiting = await waitingOn(sound.mortal, sound.sent, 'waiting');
    ({ client } = waiting.mortal.runtime);
    db = world.sql();
    db.pragma('ignore_check_constraints = ON');
  });
  afterEach(() => world.close());

  function damage({ table, column: name, where }: Column, content: unknown): void {
    const { changes } = db.prepare(`UPDATE ${table} SET ${name} = ? WHERE ${where}`).run(content);
    expect(changes).to.equal(1);
  }

  /** All that a client shows of the run, and which rows of it have a decode error. */
  async function shown() {
    const runs = await client.runs.list();
    const run = await client.runs.get('waiting');
    const steps = await client.runs.steps('waiting');
    const events = await client.runs.events('waiting');
    const approvals = await client.approvals.list({ runId: 'waiting' });
    const approval = await client.approvals.get(waiting.approval.id);
    expect(runs.map(({ id }) => id)).to.deep.equal(['sound', 'waiting']);
    expect(runs[1]).to.deep.equal(run);
    expect(approvals).to.deep.equal([approval]);
    const errors = Object.entries({ run: [run], step: steps, event: events, approval: approvals }).flatMap(
      ([kind, rows]) => rows.flatMap(({ decodeError }) => (decodeError === null ? [] : [`${kind}: ${decodeError}`])),
    );
    return { errors, all: JSON.stringify([runs, run, steps, events, approvals, approval]) };
  }

  async function assertCancelled(): Promise<void> {
    expect(await client.cancel('waiting', { by: 'ann' })).to.include({
      status: 'CANCELLED',
      reason: 'operator_cancelled',
    });
    expect((await client.runs.steps('waiting')).at(-1)?.observation).to.deep.equal({
      kind: 'run_ended',
      reason: 'operator_cancelled',
    });
    expect((await client.approvals.get(waiting.approval.id)).status).to.be.oneOf(['cancelled', SECRET]);
  }

  for (const broken of COLUMNS) {
    const { kind, column: name, object } = broken;
    it(`S9: ${kind}.${name}: is shown with the column's name and none of its content`, async () => {
      const contents = [NOT_JSON, Buffer.from(NOT_JSON), ...(object ? [NOT_AN_OBJECT] : [])];
      for (const content of contents) {
        damage(broken, content);
        const { errors, all } = await shown();
        expect(errors).to.have.length(1);
        expect(errors[0]).to.match(new RegExp(`^${kind}: ${name} is not (JSON|a JSON object|a JSON string)$`));
        expect(all).not.to.include(SECRET);
      }
    });

    it(`S9: ${kind}.${name}: its run can be cancelled`, async () => {
      damage(broken, NOT_JSON);
      await assertCancelled();
    });

    it(`S9: ${kind}.${name}: its run ${kind === 'event' ? 'goes on, for no event decides anything' : 'cannot go on'}`, async () => {
      damage(broken, NOT_JSON);
      const before = dump(db);
      const resuming = waiting.mortal.runtime.resume('waiting');
      if (kind === 'event') {
        expect((await resuming).status).to.equal('WAITING');
      } else {
        const error = await rejection(resuming);
        expect(error).to.be.instanceOf(UndecodableError);
        expect(error.message).to.match(
          new RegExp(`run waiting holds a row that cannot be decoded \\(${name} is not JSON\\)`),
        );
        expect(error.message).not.to.include(SECRET);
      }
      expect(dump(db)).to.deep.equal(before);
    });
  }

  for (const broken of COLUMNS.filter(({ kind }) => kind === 'approval')) {
    it(`S9: approval.${broken.column}: is not decided`, async () => {
      damage(broken, NOT_JSON);
      const before = dump(db);
      const { id, hash } = waiting.approval;
      for (const decide of ['approve', 'reject'] as const) {
        const error = await rejection(client.approvals[decide](id, { hash, by: 'ann' }));
        expect(error).to.be.instanceOf(UndecodableError);
        expect(error.message).not.to.include(SECRET);
      }
      expect(dump(db)).to.deep.equal(before);
    });
  }

  for (const broken of WORDS) {
    const { kind, column: name } = broken;
    it(`S9: ${kind}.${name} with a word that nobody knows: its run is shown, and can be cancelled`, async () => {
      damage(broken, SECRET);
      expect((await shown()).errors).to.deep.equal([`${kind}: ${name} is unknown`]);
      if (kind !== 'event') {
        const error = await rejection(waiting.mortal.runtime.resume('waiting'));
        expect(error).to.be.instanceOf(UndecodableError);
        expect(error.message).not.to.include(SECRET);
      }
      await assertCancelled();
    });
  }

  for (const broken of ALL.filter(({ kind, column: name }) => !FOUND_BY.includes(`${kind}.${name}`))) {
    const { kind, column: name, text } = broken;
    it(`S9: ${kind}.${name} that holds bytes: its run is shown, cannot go on, and can be cancelled`, async () => {
      damage(broken, BYTES);
      const says = `${kind}: ${name} is not ${text ? '(text|JSON)' : 'a number'}$`;
      expect(await errorsOf()).to.match(new RegExp(says));
      const before = dump(db);
      expect(await rejection(waiting.mortal.runtime.resume('waiting'))).to.be.instanceOf(UndecodableError);
      expect(dump(db)).to.deep.equal(before);
      await client.cancel('waiting', { by: 'ann' });
      expect(await client.runs.get('waiting')).to.include({ status: 'CANCELLED', reason: 'operator_cancelled' });
      expect((await client.runs.steps('waiting')).at(-1)?.observation?.kind).to.equal('run_ended');
    });
  }

  for (const broken of ALL.filter(({ text, ...one }) => !text && !FOUND_BY.includes(`${one.kind}.${one.column}`))) {
    it(`S9: ${broken.kind}.${broken.column} that holds a text: its run is shown, and cannot go on`, async () => {
      damage(broken, 'soon');
      expect(await errorsOf()).to.equal(`${broken.kind}: ${broken.column} is not a number`);
      expect(await rejection(waiting.mortal.runtime.resume('waiting'))).to.be.instanceOf(UndecodableError);
      await client.cancel('waiting', { by: 'ann' });
    });
  }

  /** What the lists say of the run's rows, and of a run that is not found by its id. */
  async function errorsOf(): Promise<string> {
    const rows = {
      run: (await client.runs.list()).slice(1),
      step: await client.runs.steps('waiting'),
      approval: await client.approvals.list({ runId: 'waiting' }),
    };
    expect(JSON.stringify(rows)).not.to.include('"type":"Buffer"');
    return Object.entries(rows)
      .flatMap(([kind, all]) => all.flatMap(({ decodeError }) => (decodeError ? [`${kind}: ${decodeError}`] : [])))
      .join();
  }

  it('S9: a run whose id is no text is listed, and says so', async () => {
    damage(column('run', 'id', false), BYTES);
    expect((await client.runs.list())[1]).to.include({
      id: '[2 bytes that are not text]',
      decodeError: 'id is not text',
    });
  });

  it('S9: a run whose count of steps is no number cannot go on, and can be cancelled', async () => {
    for (const content of [BYTES, 'two']) {
      damage(column('run', 'step_count', false), content);
      expect(await errorsOf()).to.equal('run: step_count is not a number');
      expect(await rejection(waiting.mortal.runtime.resume('waiting'))).to.be.instanceOf(UndecodableError);
    }
    expect((await client.cancel('waiting', { by: 'ann' })).status).to.equal('CANCELLED');
  });

  it('S9: does not stand in the way of another run', async () => {
    for (const broken of COLUMNS) damage(broken, NOT_JSON);
    const [approval] = await client.approvals.list({ runId: 'sound' });
    await client.approvals.approve(approval!.id, { hash: approval!.hash, by: 'ann' });
    expect((await waiting.mortal.runtime.resume('sound')).status).to.equal('COMPLETED');
  });

  it('S9: of several damaged columns the first is named', async () => {
    for (const broken of COLUMNS.filter(({ kind }) => kind === 'step')) damage(broken, NOT_JSON);
    expect((await shown()).errors).to.deep.equal(['step: decision is not JSON']);
  });

  it('S9: of a run that has ended is shown, and does not hide that it has', async () => {
    await client.cancel('waiting', { by: 'ann' });
    for (const broken of COLUMNS) damage(broken, NOT_JSON);
    expect((await shown()).errors).to.have.length(4);
    const error = await rejection(waiting.mortal.runtime.resume('waiting'));
    expect(error).to.include({ code: 'RUN_STATE', status: 'CANCELLED' });
  });
});

describe('a call whose process died', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  for (const { column: name, table } of ALL.filter(({ kind, text }) => kind === 'step' && text)) {
    if (name === 'run_id') continue;
    it(`S9: whose step holds bytes for its ${name}, is not repeated, and its run can be cancelled`, async () => {
      const seen = outside();
      const { runId } = await crashInTool(world, seen);
      const db = world.sql();
      db.pragma('ignore_check_constraints = ON');
      db.prepare(`UPDATE ${table} SET ${name} = ?`).run(BYTES);
      const { runtime } = await world.open([mailer(seen)]);
      expect(await rejection(runtime.resume(runId))).to.be.instanceOf(UndecodableError);
      expect(await runtime.client.cancel(runId, { by: 'ann' })).to.include({ status: 'CANCELLED' });
      expect(seen.calls).to.have.length(1);
      const ended = (await runtime.client.runs.events(runId)).map(({ type }) => type).slice(-2);
      // An observation of some kind was there: the step is no open one.
      expect(ended).to.include('run.finished');
    });
  }
});

describe('a tool spec that cannot be decoded', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  for (const [title, spec] of [
    ['is no JSON', NOT_JSON],
    ['was changed to read only', null],
  ] as const) {
    it(`S9, I4: that ${title} makes no interrupted call read only`, async () => {
      const seen = outside();
      const { runId } = await crashInTool(world, seen, { readOnly: spec !== null });
      const text = spec ?? `replace(replace(spec, '"readOnly":false', '"readOnly":true'), '"remote"', '"none"')`;
      world.sql().exec(`UPDATE holdpoint_tool_specs SET spec = ${spec === null ? text : `'${text}'`}`);
      const { runtime } = await world.open([mailer(seen, { readOnly: true })]);
      const run = await runtime.resume(runId);
      expect([run.status, seen.calls.length]).to.deep.equal(['WAITING', 1]);
      expect((await runtime.client.approvals.list({ runId }))[0]?.kind).to.equal('interrupted_side_effect');
    });
  }
});
