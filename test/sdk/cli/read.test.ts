import { expect } from 'chai';
import { Client, type Approval, type Run, type RunEvent, type Step } from 'holdpoint';
import { holdpoint, holdpointHere } from '../../support/cli.js';
import { stores, type Stores } from './stores.js';

describe('the commands that show', () => {
  let given: Stores;
  let store: string;
  before(async () => {
    given = await stores();
    store = given.file;
  });
  after(() => given.world.close());

  /** What a command prints; it must have ended well. */
  async function printed(...args: string[]): Promise<string> {
    const { code, out, err } = await holdpointHere(args, { store });
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    return out;
  }

  async function json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await printed(...args, '--json')) as T;
  }

  it('runs: lists them newest first, aligned, with a relative and an absolute time', async () => {
    const lines = (await printed('runs')).trimEnd().split('\n');
    expect(lines[0]).to.match(/^RUN +STATUS +REASON +AGENT +CHANGED +GOAL$/);
    expect(lines.slice(1).map((line) => line.split(/ +/).slice(0, 2))).to.deep.equal([
      ['dead', 'RUNNING'],
      ['granted', 'WAITING'],
      ['asks', 'WAITING'],
      ['done', 'COMPLETED'],
      ['crashed', 'WAITING'],
    ]);
    const columns = lines.map((line) => line.search(/(STATUS|RUNNING|WAITING|COMPLETED)/));
    expect(new Set(columns).size).to.equal(1);
    expect(lines[1]).to.match(/days ago \(2026-01-01 \d\d:\d\d:\d\dZ\) {2}never finished$/);
  });

  it('runs: filters, and gives the cursor of the next page', async () => {
    expect(await printed('runs', '--status', 'COMPLETED', '--agent', 'clerk')).to.match(/^RUN.*\ndone .*\n$/);
    expect(await printed('runs', '--agent', 'nobody')).to.equal('No runs.\n');
    expect(await printed('runs', '--oldest', '--after', '999')).to.equal('No more runs.\n');
    const { runs, next } = await json<{ runs: Run[]; next: number }>('runs', '--limit', '2');
    expect(runs.map(({ id }) => id)).to.deep.equal(['dead', 'granted']);
    const rest = await json<{ runs: Run[]; next: null }>('runs', '--after', String(next));
    expect(rest.runs.map(({ id }) => id)).to.deep.equal(['asks', 'done', 'crashed']);
    expect(rest.next).to.be.null;
    expect(await printed('runs', '--limit', '2')).to.match(/\n2 runs; the next page: --after \d+\n$/);
    expect(await printed('runs', '--oldest', '--limit', '1')).to.contain('crashed');
  });

  it('show: tells the run, its steps, what it waits for and what to do', async () => {
    const out = await printed('show', 'crashed');
    expect(out).to.match(/^Run crashed\n/);
    expect(out).to.match(/\n {2}status +WAITING\n/);
    expect(out).to.match(/\n1 +awaiting_approval +send +1 +2026-01-01 /);
    expect(out).to.match(/ pending +interrupted_side_effect +send +crashed /);
    expect(out.trimEnd().split('\n').at(-1)).to.equal(
      `It waits for a person: holdpoint approve, reject or settle ${given.interrupted.id}`,
    );
    const shown = await json<{ run: Run; steps: Step[]; approvals: Approval[] }>('show', 'crashed');
    expect(shown.run).to.include({ id: 'crashed', status: 'WAITING' });
    expect(shown.steps).to.have.length(1);
    expect(shown.approvals.map(({ hash }) => hash)).to.deep.equal([given.interrupted.hash]);
  });

  it('show: says what becomes of each run next', async () => {
    const last = async (run: string): Promise<string | undefined> =>
      (await printed('show', run)).trimEnd().split('\n').at(-1);
    expect(await last('done')).to.equal('It has ended.');
    expect(await last('granted')).to.equal('It was decided, and goes on at its next resume.');
    expect(await last('dead')).to.contain('Its process is dead');
  });

  it('events: prints each, oldest first, and as many as are asked for', async () => {
    const lines = (await printed('events', 'done')).trimEnd().split('\n');
    expect(lines[0]).to.match(/^ {3}1 {2}2026-01-01 00:\d\d:\d\dZ {2}run\.created +\{"agent":"clerk"/);
    expect(lines.at(-1)).to.contain('run.finished');
    expect(await printed('events', 'done', '--after', '2', '--limit', '1')).to.match(
      /^ {3}3 .*\n\d+ more events: --after 3\n$/,
    );
    expect(await printed('events', 'done', '--tail', '1')).to.equal(`${lines.at(-1)}\n`);
    const events = (await printed('events', 'done', '--json')).trimEnd().split('\n');
    expect(events.map((line) => (JSON.parse(line) as RunEvent).index)).to.deep.equal(lines.map((_, at) => at + 1));
  });

  it('events --follow: prints what happens meanwhile, and ends with the run', async () => {
    await using client = await Client.open({ store });
    await client.start('clerk', { goal: 'later', id: 'followed' });
    const followed = holdpoint(['events', 'followed', '--follow'], { store });
    await client.cancel('followed', { by: 'ann' });
    await client.close();
    const { code, out } = await followed;
    expect(code).to.equal(0);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ +/)[4]),
    ).to.deep.equal(['run.created', 'run.finished']);
  });

  it('approvals: lists the pending ones, oldest first, or those of a status or a run', async () => {
    const lines = (await printed('approvals')).trimEnd().split('\n');
    expect(lines.slice(1, 3).map((line) => line.split(/ +/)[0])).to.deep.equal([given.interrupted.id, given.asked.id]);
    expect(lines.at(-1)).to.contain('shows one in full');
    expect(await printed('approvals', '--run', 'done')).to.equal('Nothing waits for a person.\n');
    expect(await printed('approvals', '--run', 'done', '--status', 'expired')).to.equal('No approval is expired.\n');
    expect(await printed('approvals', '--run', 'dead', '--all')).to.equal('No approvals.\n');
    expect(await printed('approvals', '--after', '999')).to.equal('No more approvals.\n');
    const { approvals } = await json<{ approvals: Approval[] }>('approvals', '--all', '--run', 'done');
    expect(approvals.map(({ status }) => status)).to.deep.equal(['spent']);
    expect(await printed('approvals', '--limit', '1')).to.match(/\n1 approval; the next page: --after \d+\n/);
    expect(await printed('approvals', '--newest', '--limit', '1')).to.contain(given.asked.id);
    const granted = await printed('approvals', '--status', 'approved', '--limit', '1');
    expect(granted)
      .to.match(/ann, .* days ago/)
      .and.not.to.contain('the next page');
    expect(await holdpointHere(['approvals', '--run', 'granded'], { store })).to.deep.include({ code: 1, out: '' });
  });

  it('approvals: shows one in full, without deciding it', async () => {
    const out = await printed('approvals', given.interrupted.id);
    expect(out).to.match(/^Approval .*\n {2}status +pending\n/);
    expect(out).to.contain(`hash         ${given.interrupted.hash}`);
    const { approval } = await json<{ approval: Approval }>('approvals', given.interrupted.id);
    expect(approval).to.include({ id: given.interrupted.id, hash: given.interrupted.hash, status: 'pending' });
  });

  it('doctor: tells what needs somebody, what is wrong, and what to do about each', async () => {
    const { code, out, err } = await holdpointHere(['doctor'], { store });
    expect({ code, err }).to.deep.equal({ code: 1, err: '' });
    expect(out).to.match(/^ok +file +its owner's only \(mode 0600\)\n/);
    expect(out).to.match(/\nok +journal_mode +wal\nok +synchronous +2\nok +trusted_schema +0\nok +pages +sound\n/);
    expect(out).to.match(
      /\nproblem +stale leases +1 run left behind by a process that died\n +dead\n +to do: start the program of their agent again/,
    );
    expect(out).to.match(/\nnote +questions +2 approvals waiting for a person\n/);
    expect(out).to.match(/\nnote +grants +1 approval granted or settled, and not used yet\n +granted \(approval /);
    expect(out).to.match(/\nok +records +4 open runs, unchanged; /);
    const { findings } = JSON.parse((await holdpointHere(['doctor', '--json'], { store })).out) as {
      findings: { level: string; about: string; ids: string[] }[];
    };
    expect(findings.filter(({ level }) => level === 'problem')).to.have.length(1);
    expect(findings.find(({ about }) => about === 'stale leases')?.ids).to.deep.equal(['dead']);
  });

  it('doctor: says of a changed record not to resume it, and of a lost table to restore the store', async () => {
    const changed = await stores();
    try {
      const db = changed.world.sql();
      db.prepare(
        `UPDATE holdpoint_approvals SET status = 'approved', decided_at = 1, decided_by = 'eve' WHERE id = ?`,
      ).run(changed.asked.id);
      const { code, out } = await holdpointHere(['doctor'], { store: changed.file });
      expect(code).to.equal(1);
      expect(out).to.match(
        /\nproblem +records +1 of 4 open runs changed by hand\n +asks \(approval .*\n +to do: do not resume them; /,
      );
      db.exec('DROP TABLE holdpoint_events');
      const lost = await holdpointHere(['doctor'], { store: changed.file });
      expect(lost).to.deep.include({ code: 1, err: '' });
      expect(lost.out).to.match(/\nproblem +tables +missing or damaged: events\n +to do: .*restore/);
    } finally {
      await changed.world.close();
    }
  });

  it('I6: doctor names what was settled, until a resume goes on with it', async () => {
    const { world, interrupted } = await stores();
    const { id, hash } = interrupted;
    await holdpointHere(['settle', id, '--hash', hash, '--result', 'null'], { store: world.file });
    const { out } = await holdpointHere(['doctor'], { store: world.file });
    expect(out)
      .to.match(/\nnote +grants +2 approvals granted or settled, and not used yet\n/)
      .and.to.contain(id);
    await world.close();
  });

  for (const [what, sql] of Object.entries({
    step: `UPDATE holdpoint_steps SET policy = '[' WHERE run_id = 'asks'`,
    approval: `UPDATE holdpoint_approvals SET presentation = '[' WHERE run_id = 'asks'`,
  })) {
    it(`S9: doctor names a run of which a row of another kind does not decode: ${what}`, async () => {
      const { world } = await stores();
      world.sql().exec(sql);
      const { code, out } = await holdpointHere(['doctor'], { store: world.file });
      expect(code).to.equal(1);
      expect(out).to.match(/\nproblem +damaged runs +1 run with a row that does not decode\n +asks\n/);
      await world.close();
    });
  }
});
