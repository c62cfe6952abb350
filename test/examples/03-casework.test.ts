import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer, MakeScenario, Scenario } from 'holdpoint/testkit';
import { CrashPoint, crashSuite, fuzzArguments, ManualClock, runScenario } from 'holdpoint/testkit';
import { Reconciliation, Runtime, type Provide, type Run } from 'holdpoint';
import { ChangeAddress, CaseworkAgent } from '../../examples/03-casework/casework-agent.js';
import { caseworkPolicy } from '../../examples/03-casework/casework-policy.js';
import { applicationIn, MOVED, operate, scenario } from '../../examples/03-casework/casework.scenario.js';
import type { FileAccounts } from '../../examples/03-casework/file-accounts.js';
import { provideWith } from '../../examples/03-casework/provide.js';
import { SHORT_LIVED } from '../support/child.js';
import { World } from '../support/world.js';

const MAIN = fileURLToPath(new URL('../../examples/03-casework/main.js', import.meta.url));
const SOURCES = new URL('../../../', import.meta.url);

function source(path: string): Promise<string> {
  return readFile(new URL(path, SOURCES), 'utf8');
}

const AFTER = '12 Harbour Road, Hull';

interface Outcome {
  readonly run: Run;
}

/** What the application holds when the run has ended: no operation reached it twice, and the change is there once. */
function expectAppliedOnce({ run }: Outcome, dir: string): void {
  expect(run.status).to.equal('COMPLETED');
  applicationIn(dir).with((application) => {
    const operations = application.operations();
    expect(operations).to.deep.equal([...new Set(operations)]);
    expect(application.account(MOVED.account)).to.deep.equal({ address: AFTER, requests: 1, applied: 1 });
  });
}

crashSuite(
  'examples/03-casework: I2, I4, I6, I10: one change to an account, across every death',
  { module: new URL('../../examples/03-casework/casework.scenario.js', import.meta.url) },
  { ways: ['park', 'kill'], timeoutMs: 60_000, check: expectAppliedOnce },
);

describe('examples/03-casework: a change whose reconciliation cannot tell', () => {
  class Blind extends ChangeAddress {
    override async lookUp(): Promise<Reconciliation> {
      return Reconciliation.wait();
    }
  }

  /** The scenario with such a tool, and another person. */
  function blind(operator: (accounts: FileAccounts) => NonNullable<Scenario['operator']>): MakeScenario {
    return (dir) => {
      const accounts = applicationIn(dir);
      const provide: Provide = (cls) => (cls === ChangeAddress ? new Blind(accounts) : provideWith(accounts)(cls));
      return { ...scenario(dir), provide, operator: operator(accounts) };
    };
  }

  const afterTheEffect = [{ step: 2, at: CrashPoint.ToolEffect }];

  it('I6: is settled by a person who looks the operation up, and is not dispatched again', async () => {
    const looking = blind((accounts) => (approval) => operate(approval, accounts));
    const { approvals, calls } = await runScenario(looking, afterTheEffect, { check: expectAppliedOnce });
    expect(approvals.map(({ kind, status }) => [kind, status])).to.deep.equal([
      ['account_change', 'spent'],
      ['interrupted_side_effect', 'settled'],
    ]);
    expect(calls.filter(({ tool }) => tool === 'change_address')).to.have.length(1);
  });

  it('I6, I10: finds itself by its operation id when a person approves it again, and dispatches nothing', async () => {
    const careless = blind(() => (): Answer => 'approve');
    const { calls } = await runScenario(careless, afterTheEffect, { check: expectAppliedOnce });
    const changes = calls.filter(({ tool }) => tool === 'change_address');
    expect(changes.map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
    expect(new Set(changes.map(({ operationId }) => operationId))).to.have.property('size', 1);
  });
});

describe('examples/03-casework: the approval of a change', () => {
  const GRANT_TTL_MS = 60_000;
  const start = { id: 'r', goal: `work on case ${MOVED.case}` };
  let world: World;
  let clock: ManualClock;
  let accounts: FileAccounts;

  beforeEach(() => {
    world = new World();
    clock = new ManualClock();
    accounts = applicationIn(world.dir);
    accounts.with((application) => application.add(MOVED));
  });

  afterEach(() => world.close());

  /** Starts the run, lets a person approve what it proposes, and resumes it after something happened. */
  async function approved(meanwhile: () => void): Promise<Run> {
    await using runtime = await Runtime.open({
      store: world.file,
      agents: [CaseworkAgent],
      provide: provideWith(accounts),
      policy: caseworkPolicy,
      grantTtlMs: GRANT_TTL_MS,
      clock,
    });
    await runtime.start(CaseworkAgent, start);
    const [asked] = await runtime.client.approvals.list({ runId: start.id });
    expect(asked).to.deep.include({
      status: 'pending',
      presentation: { account: MOVED.account, before: MOVED.address, after: AFTER },
    });
    await runtime.client.approvals.approve(asked!.id, { hash: asked!.hash, by: 'dana' });
    meanwhile();
    return await runtime.resume(start.id);
  }

  function account(): unknown {
    return accounts.with((application) => application.account(MOVED.account));
  }

  it('I1, A3: shows before and after, and a grant that is used in time changes the account once', async () => {
    const run = await approved(() => clock.advance(GRANT_TTL_MS - 1));
    expect(run).to.include({ status: 'COMPLETED', reason: 'goal_completed' });
    expect(account()).to.deep.equal({ address: AFTER, requests: 1, applied: 1 });
  });

  it('A5: a grant older than grantTtlMs cancels the run as approval_expired, and nothing reaches the account', async () => {
    const run = await approved(() => clock.advance(GRANT_TTL_MS));
    expect(run).to.include({ status: 'CANCELLED', reason: 'approval_expired' });
    expect(account()).to.deep.equal({ address: MOVED.address, requests: 0, applied: 0 });
  });

  it('A3: the application refuses what was approved of another state, and the run fails', async () => {
    const other = { operation: 'another', account: MOVED.account, before: MOVED.address, after: 'elsewhere' };
    const run = await approved(() => accounts.with((application) => application.change(other)));
    expect(run).to.include({ status: 'FAILED', reason: 'goal_failed' });
    expect(account()).to.deep.equal({ address: 'elsewhere', requests: 2, applied: 1 });
  });

  it('P3: takes no arguments that are nearly right', async () => {
    const valid = [{ account: MOVED.account, before: MOVED.address, after: AFTER }];
    expect((await fuzzArguments(ChangeAddress, { valid })).leaks).to.deep.equal([]);
  });
});

/** How the program ended, and what it left. */
interface Performed {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  readonly groupLives: boolean;
  readonly files: readonly string[];
}

/** Whether a process of the group is still there. */
function lives(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

describe('examples/03-casework: its program', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'casework-'));
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** Runs it in a process group and with a temporary directory of its own; it must leave neither. */
  async function perform(kill?: { at: string; signal: NodeJS.Signals }): Promise<Performed> {
    const env = { ...process.env, TMPDIR: directory };
    const program = spawn(process.execPath, [...SHORT_LIVED, MAIN], {
      detached: true,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [output, errors] = ['', ''];
    program.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (kill && output.includes(kill.at)) program.kill(kill.signal);
    });
    await once(program, 'exit');
    const groupLives = lives(program.pid!);
    if (groupLives) process.kill(-program.pid!, 'SIGKILL');
    return { code: program.exitCode, output, errors, groupLives, files: await readdir(directory) };
  }

  it('I2, A5: tells the same story each time, as its README does, and leaves no process and no file', async () => {
    const output = await source('test/examples/expected/03-casework.txt');
    expect(await perform()).to.deep.equal({ code: 0, output, errors: '', groupLives: false, files: [] });
    const readme = await source('examples/03-casework/README.md');
    expect(/```text\n(?<text>.*?)```/su.exec(readme)?.groups?.text).to.equal(output);
  });

  it('leaves no process and no file when it is told to end', async () => {
    const { output, ...end } = await perform({ at: '2. Case', signal: 'SIGTERM' });
    expect(output).to.not.include('3. Case');
    expect(end).to.deep.equal({ code: 143, errors: '', groupLives: false, files: [] });
  });
});
