import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OutcomeUnknownError } from 'holdpoint';
import { crashSuite, CrashPoint, runScenario } from 'holdpoint/testkit';
import type { Crash, Scenario, ScenarioResult } from 'holdpoint/testkit';
import { git } from '../../examples/02-publish/git.js';
import { scenario } from '../../examples/02-publish/publish.scenario.js';
import {
  ChangeRequests,
  type ChangeRequest,
  type NewChangeRequest,
} from '../../examples/02-publish/change-requests.js';
import { OpenChangeRequest, PushBranch } from '../../examples/02-publish/release-agent.js';
import { Remote } from '../../examples/02-publish/remote.js';
import { World } from '../../examples/02-publish/world.js';
import { normalise } from './normalise.js';

const MAIN = fileURLToPath(new URL('../../examples/02-publish/main.js', import.meta.url));
const MODULE = { module: new URL('../../examples/02-publish/publish.scenario.js', import.meta.url) };
const SOURCES = new URL('../../../', import.meta.url);

function source(path: string): Promise<string> {
  return readFile(new URL(path, SOURCES), 'utf8');
}

/** The world outside after a run: published, and nothing of it twice. */
async function published({ run, calls, approvals }: ScenarioResult, dir: string): Promise<void> {
  const world = await World.at(dir);
  const { branch, commit } = await world.release();
  const seen = await world.look();
  expect(run.status).to.equal('COMPLETED');
  expect(run.result).to.deep.equal({ branch, commit, changeRequest: 1 });
  expect(seen.commit).to.equal(commit);

  // Nobody was asked, so nobody has approved a re-run: each effect was made once, by one operation.
  expect(approvals).to.deep.equal([]);
  expect(calls.map(({ tool }) => tool)).to.deep.equal(['push_branch', 'open_change_request']);
  expect(seen.changeRequests.map(({ body }) => body)).to.deep.equal([`Holdpoint-Operation: ${calls[1]!.operationId}`]);
}

/** A branch that somebody else pushes to right after every push of ours. */
class BusyRemote extends Remote {
  constructor(private readonly world: World) {
    super(world.clone, world.url);
  }

  override async push(branch: string, commit: string, signal: AbortSignal): Promise<void> {
    await super.push(branch, commit, signal);
    const { clone, url } = this.world;
    const author = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.org'];
    const later = await git(clone, [...author, 'commit-tree', `${commit}^{tree}`, '-p', commit, '-m', 'later']);
    await git(clone, ['push', '--quiet', url, `${later}:refs/heads/${branch}`]);
  }
}

async function inBusyWorld(dir: string): Promise<Scenario> {
  const world = await World.at(dir);
  const made = await scenario(dir);
  return {
    ...made,
    provide: (cls) => (cls === PushBranch ? new PushBranch(new BusyRemote(world)) : made.provide!(cls)),
  };
}

crashSuite('I2, I4, I10, L7: a release is published once', MODULE, {
  ways: ['park', 'kill'],
  // All pairs take minutes; those in which an effect is in doubt stand below.
  pairs: false,
  timeoutMs: 60_000,
  check: published,
});

describe('examples/02-publish: two crashes', () => {
  const { ToolStarted, ToolEffect, StepInterrupted, StepReconciled } = CrashPoint;
  const pairs: readonly (readonly [title: string, first: Crash, second: Crash])[] = [
    ['before the push and after it was looked for', { step: 1, at: ToolStarted }, { step: 1, at: StepReconciled }],
    ['before the push and after the second one', { step: 1, at: ToolStarted }, { step: 2, at: ToolEffect }],
    ['after the push and before it is looked for', { step: 1, at: ToolEffect }, { step: 1, at: StepInterrupted }],
    ['after the push and after it was found', { step: 1, at: ToolEffect }, { step: 1, at: StepReconciled }],
    ['after the push and after the change request', { step: 1, at: ToolEffect }, { step: 2, at: ToolEffect }],
    ['before the request and after it was looked for', { step: 2, at: ToolStarted }, { step: 2, at: StepReconciled }],
    ['before the request and after the second one', { step: 2, at: ToolStarted }, { step: 3, at: ToolEffect }],
    ['after the request and before it is looked for', { step: 2, at: ToolEffect }, { step: 2, at: StepInterrupted }],
    ['after the request and after it was found', { step: 2, at: ToolEffect }, { step: 2, at: StepReconciled }],
  ];

  for (const [where, first, second] of pairs) {
    it(`I8: ${where}, leave one branch and one change request`, async () => {
      await runScenario(scenario, [first, second], { check: published });
    });
  }
});

describe('examples/02-publish: a branch that somebody else has moved on', () => {
  it('I4: after a crash is a conflict: it is not pushed again, and no change request is opened', async () => {
    await runScenario(inBusyWorld, [{ step: 1, at: CrashPoint.ToolEffect }], {
      check: async ({ run, calls }, dir) => {
        const world = await World.at(dir);
        const { commit } = await world.release();
        const seen = await world.look();
        expect(run).to.include({ status: 'FAILED', reason: 'reconcile_conflict' });
        expect(run.message).to.include(`stands at ${seen.commit}`).and.to.include(commit);
        expect(calls.map(({ tool }) => tool)).to.deep.equal(['push_branch']);
        expect(await git(world.url, ['rev-parse', `${seen.commit}^`])).to.equal(commit);
        expect(seen.changeRequests).to.deep.equal([]);
      },
    });
  });

  it('I4: is none of a run whose push was recorded', async () => {
    const { run } = await runScenario(inBusyWorld, [{ step: 1, at: CrashPoint.ToolFinished }]);
    expect(run.status).to.equal('COMPLETED');
  });
});

/** A forge whose answer is lost, and whose search is behind: what a process has opened, it does not find. */
class LateForge extends ChangeRequests {
  #opened = false;

  override async open(asked: NewChangeRequest, signal: AbortSignal): Promise<ChangeRequest> {
    await super.open(asked, signal);
    this.#opened = true;
    throw new OutcomeUnknownError('the answer was lost');
  }

  override async containing(text: string): Promise<ChangeRequest[]> {
    return this.#opened ? [] : super.containing(text);
  }
}

async function behindLateForge(dir: string): Promise<Scenario> {
  const world = await World.at(dir);
  const made = await scenario(dir);
  const forge = new LateForge((work) => world.reachForge(work));
  return {
    ...made,
    provide: (cls) => (cls === OpenChangeRequest ? new OpenChangeRequest(forge) : made.provide!(cls)),
    operator: () => 'approve',
  };
}

describe('examples/02-publish: a change request that landed unseen', () => {
  it('I6, I10: is found by the re-run that a person approves, and no other is opened', async () => {
    await runScenario(behindLateForge, [], {
      check: async ({ run, calls, approvals }, dir) => {
        const { changeRequests } = await (await World.at(dir)).look();
        expect(approvals.map(({ kind }) => kind)).to.deep.equal(['unknown_outcome']);
        expect(calls.map(({ tool }) => tool)).to.deep.equal([
          'push_branch',
          'open_change_request',
          'open_change_request',
        ]);
        expect(run.status).to.equal('COMPLETED');
        expect(changeRequests).to.have.length(1);
      },
    });
  });
});

describe('examples/02-publish: a goal that the agent cannot reach', () => {
  async function cameTo(goal: (commit: string) => string): Promise<string | null> {
    const asked = async (dir: string): Promise<Scenario> => {
      const { commit } = await (await World.at(dir)).release();
      return { ...(await scenario(dir)), goal: goal(commit) };
    };
    const { run, calls } = await runScenario(asked);
    expect(run).to.include({ status: 'FAILED', reason: 'goal_failed' });
    expect(calls).to.deep.equal([]);
    return run.message;
  }

  it('P3: is to push to a branch that is no release branch: its tool is not called', async () => {
    expect(await cameTo((commit) => `publish ${commit} as main`)).to.include('invalid_decision');
  });

  it('is one that names no commit and branch', async () => {
    expect(await cameTo(() => 'publish something')).to.include('names no commit and branch');
  });
});

describe('examples/02-publish/main.js', () => {
  it('I2, I4: publishes once, however its process dies, says so, and leaves nothing behind', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'performance-'));
    try {
      const env = { ...process.env, TMPDIR: directory };
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN], { env });
      expect(normalise(stdout)).to.equal(await source('test/examples/expected/02-publish.txt'));
      expect(stderr).to.equal('');
      expect(await readdir(directory)).to.deep.equal([]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }).timeout(60_000);

  it('prints what the README shows', async () => {
    const readme = await source('examples/02-publish/README.md');
    const sample = /```text\n(?<text>.*?)```/su.exec(readme)?.groups?.text ?? '';
    expect(normalise(sample)).to.equal(await source('test/examples/expected/02-publish.txt'));
  });
});
