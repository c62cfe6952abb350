import { expect } from 'chai';
import { HoldpointError, LeaseLostError } from 'holdpoint';
import { crashInTool, mailer, outside, type Outside } from '../../support/crash.js';
import { rejection, World } from '../../support/world.js';

describe('a lease that somebody wrote a time into which no date has', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  function expire(at: number): void {
    world.sql().prepare('UPDATE holdpoint_runs SET lease_expires_at = ?').run(at);
  }

  it('L6, S9: is refused to a resume with a typed error, if it has not ended', async () => {
    const { runId } = await crashInTool(world, seen);
    const next = await world.open([mailer(seen)]);
    for (const expiry of [Infinity, 1e300, 8.64e15 + 1]) {
      expire(expiry);
      const error = await rejection(next.runtime.resume(runId));
      expect(error).to.include({ code: 'RUN_LEASED' });
      expect(error.message).to.match(/ until a time that is no date; nothing was changed$/);
    }
    expire(-Infinity);
    expect(await rejection(next.runtime.resume(runId))).to.be.instanceOf(HoldpointError);
    expire(-1e300);
    expect((await next.runtime.resume(runId)).status).to.equal('WAITING');
  });

  it('L4, S9: stops the loop that held it with a typed error, if it has ended', async () => {
    const policy = () => {
      expire(-1e300);
      return { kind: 'allow' } as const;
    };
    const { runtime } = await world.open([mailer(seen)], { policy });
    const error = await rejection(runtime.start('mailer', { goal: 'g' }));
    expect(error).to.be.instanceOf(LeaseLostError);
    expect(error.message).to.contain('it expired at a time that is no date');
    expect(seen.calls).to.have.length(0);
  });
});
