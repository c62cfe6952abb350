import { expect } from 'chai';
import { validate } from 'class-validator';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutcomeUnknownError, type InterruptedCall, type PolicyRequest, type Run } from 'holdpoint';
import { ChangeRequests, marker, type ReachForge } from '../../examples/02-publish/change-requests.js';
import { git } from '../../examples/02-publish/git.js';
import * as agent from '../../examples/02-publish/release-agent.js';
import { Remote } from '../../examples/02-publish/remote.js';
import { World } from '../../examples/02-publish/world.js';

const SIGNAL = new AbortController().signal;

describe('examples/02-publish: its parts', () => {
  let dir: string;
  let world: World;
  let release: agent.PushInput;
  /** A commit that is not the release. */
  let main: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'publish-parts-'));
    world = await World.at(dir);
    release = Object.assign(new agent.PushInput(), await world.release());
    main = await git(world.clone, ['rev-parse', 'main']);
  });

  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  describe('the reconciliation of the push', () => {
    async function answer(): Promise<string> {
      return (await new agent.PushBranch(world.remote).askTheRemote(release)).kind;
    }

    it('I4: completes where the branch stands at the commit', async () => {
      await world.remote.push(release.branch, release.commit, SIGNAL);
      expect(await answer()).to.equal('complete');
    });

    it('I4: continues where there is no such branch, though another one ends in its name', async () => {
      await git(world.clone, ['push', '--quiet', world.url, `main:refs/heads/old/${release.branch}`]);
      expect(await answer()).to.equal('continue');
    });

    it('I4: is a conflict where the branch stands elsewhere', async () => {
      await world.remote.push(release.branch, main, SIGNAL);
      expect(await answer()).to.equal('conflict');
    });
  });

  describe('the reconciliation of the change request', () => {
    const asked = { branch: 'release/1', title: 'Publish' };
    const input = Object.assign(new agent.OpenInput(), asked);

    async function answer(cause: InterruptedCall['cause'], ...operations: string[]): Promise<string> {
      const changeRequests = new ChangeRequests((work) => world.reachForge(work));
      const tool = new agent.OpenChangeRequest(changeRequests);
      for (const operation of ['another operation', ...operations])
        await changeRequests.open({ ...asked, body: marker(operation) }, SIGNAL);
      return (await tool.findTheMarker(input, { operationId: 'op', cause } as InterruptedCall)).kind;
    }

    it('I4, I10: completes with the one that carries the marker of its operation', async () => {
      expect(await answer('crash', 'op')).to.equal('complete');
      expect(await answer('timeout')).to.equal('complete');
    });

    it('I4: continues after a crash where none carries it', async () => {
      expect(await answer('crash')).to.equal('continue');
    });

    it('I4, I9: waits for a person where none carries it yet, and the request may be on its way', async () => {
      expect(await answer('timeout')).to.equal('wait');
      expect(await answer('unknown')).to.equal('wait');
    });

    it('I4: is a conflict where two carry it', async () => {
      expect(await answer('crash', 'op', 'op')).to.equal('conflict');
    });
  });

  describe('the push', () => {
    async function pushed(remote: Remote, signal = SIGNAL): Promise<unknown> {
      return remote.push(release.branch, main, signal).catch((error: unknown) => error);
    }

    it('I9: knows that a refused one failed: the branch stands where it stood', async () => {
      await world.remote.push(release.branch, release.commit, SIGNAL);
      const error = await pushed(world.remote);
      expect(error).to.be.instanceOf(Error).and.not.instanceOf(OutcomeUnknownError);
      expect(await world.remote.commitOf(release.branch)).to.equal(release.commit);
    });

    it('I9: does not know the outcome where the remote does not answer, or is not waited for', async () => {
      expect(await pushed(new Remote(world.clone, join(dir, 'gone.git')))).to.be.instanceOf(OutcomeUnknownError);
      expect(await pushed(world.remote, AbortSignal.abort())).to.be.instanceOf(OutcomeUnknownError);
    });
  });

  describe('the client of the forge', () => {
    async function opened(reach: ReachForge): Promise<unknown> {
      const asked = { branch: release.branch, title: 'Publish', body: '' };
      return new ChangeRequests(reach).open(asked, SIGNAL).catch((error: unknown) => error);
    }

    it('I9: does not know the outcome where the forge does not answer', async () => {
      // Nobody listens there.
      expect(await opened((work) => work('http://127.0.0.1:1'))).to.be.instanceOf(OutcomeUnknownError);
    });

    it('I9: knows that a refused request failed', async () => {
      const error = await opened((work) => world.reachForge((url) => work(`${url}/nowhere`)));
      expect(error).to.be.instanceOf(Error).and.not.instanceOf(OutcomeUnknownError);
    });
  });

  it('P3: the tools take release branches and whole commits, and nothing else', async () => {
    const problems = async (wrong: object): Promise<number> =>
      (await validate(Object.assign(new agent.PushInput(), release, wrong))).length;
    expect(await problems({})).to.equal(0);
    for (const branch of ['main', 'release/', 'release/1:main', 'x/release/1', 'release/1\n']) {
      expect(await problems({ branch }), branch).to.equal(1);
    }
    for (const commit of ['HEAD', '', `+${release.commit}`]) expect(await problems({ commit }), commit).to.equal(1);
  });

  it('P1, P2: the policy allows its own two tools, and leaves every other to the default one', async () => {
    const decide = async (name: string): Promise<string> =>
      (await agent.releasePolicy({ tool: { name, effect: 'destructive' } } as PolicyRequest, {} as Run)).kind;
    expect(await decide('push_branch')).to.equal('allow');
    expect(await decide('open_change_request')).to.equal('allow');
    expect(await decide('delete_branch')).to.equal('deny');
  });
});
