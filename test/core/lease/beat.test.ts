import { expect } from 'chai';
import { ManualClock } from '../../../core/clock.js';
import { Beat } from '../../../core/lease/beat.js';
import { Slots } from '../../../core/lease/slots.js';

const TTL_MS = 900;

describe('one beat of the heartbeat', () => {
  let clock: ManualClock;
  let lost: number[];
  let renewed: (string[] | Error)[];
  let asked: string[][];
  let beat: Beat;

  beforeEach(() => {
    clock = new ManualClock(1_000);
    lost = [];
    renewed = [];
    asked = [];
    beat = new Beat({
      ttlMs: TTL_MS,
      clock,
      renew: (runIds) => {
        asked.push([...runIds]);
        const answer = renewed.shift() ?? [...runIds];
        if (answer instanceof Error) throw answer;
        return { runIds: answer, expiresAt: clock.now() + TTL_MS };
      },
      onLost: (key) => lost.push(key),
    });
  });

  function hold(key: number, runId: string): Slots {
    const slots = new Slots();
    slots.renewed(clock.monotonic(), TTL_MS, clock.now() + TTL_MS);
    beat.hold(key, runId, slots.buffer);
    return slots;
  }

  it('L3: asks for all runs of the runtime at once', async () => {
    hold(1, 'a');
    hold(2, 'b');
    await beat.beat();
    expect(asked).to.deep.equal([['a', 'b']]);
  });

  it('L4: measures the deadline from the time when the renewal was sent', async () => {
    const slots = hold(1, 'a');
    clock.advance(300);
    const late = new Beat({
      ttlMs: TTL_MS,
      clock,
      renew: (runIds) => {
        clock.advance(500);
        return { runIds, expiresAt: clock.now() + TTL_MS };
      },
      onLost: (key) => lost.push(key),
    });
    late.hold(1, 'a', slots.buffer);
    await late.beat();
    clock.advance(TTL_MS - 501);
    expect(slots.isLive(clock)).to.equal(true);
    clock.advance(1);
    expect(slots.isLive(clock)).to.equal(false);
  });

  it('L4: is dead by either clock alone', () => {
    const wall = hold(1, 'a');
    clock.setWall(clock.now() + TTL_MS);
    expect(wall.isLive(clock)).to.equal(false);
    clock.setWall(1_000);
    expect(wall.isLive(clock)).to.equal(true);
    clock.advance(TTL_MS);
    clock.setWall(1_000);
    expect(wall.isLive(clock)).to.equal(false);
  });

  it('L5: reports a lease that is no longer the owner’s, once', async () => {
    hold(1, 'a');
    hold(2, 'b');
    renewed.push(['b']);
    await beat.beat();
    await beat.beat();
    expect(lost).to.deep.equal([1]);
    expect(asked.at(-1)).to.deep.equal(['b']);
  });

  it('F9: one renewal that fails is no loss, if the next succeeds before the expiry', async () => {
    const slots = hold(1, 'a');
    renewed.push(new Error('SQLITE_BUSY'));
    clock.advance(300);
    await beat.beat().catch(() => {
      beat.expire();
    });
    clock.advance(300);
    await beat.beat();
    clock.advance(TTL_MS - 1);
    expect(lost).to.deep.equal([]);
    expect(slots.isLive(clock)).to.equal(true);
  });

  it('L4: renewals that fail until the expiry are a loss', async () => {
    hold(1, 'a');
    renewed.push(new Error('SQLITE_BUSY'));
    clock.advance(TTL_MS);
    await beat.beat().catch(() => {
      beat.expire();
    });
    expect(lost).to.deep.equal([1]);
  });

  it('F10: a run that was released while its renewal was in flight is not lost', async () => {
    hold(1, 'a');
    const inFlight = new Beat({
      ttlMs: TTL_MS,
      clock,
      renew: () => {
        inFlight.drop(1);
        return { runIds: [], expiresAt: 0 };
      },
      onLost: (key) => lost.push(key),
    });
    inFlight.hold(1, 'a', new Slots().buffer);
    await inFlight.beat();
    expect(lost).to.deep.equal([]);
  });

  it('F10: a report about an older hold does not hit a newer one on the same run', async () => {
    const old = hold(1, 'a');
    old.renewed(0, 0, 0);
    hold(2, 'a');
    await beat.beat();
    expect(lost).to.deep.equal([]);
    beat.drop(1);
    await beat.beat();
    expect(lost).to.deep.equal([]);
  });

  it('L12: is not renewed past the timeout of its call plus one lease length', async () => {
    const slots = hold(1, 'a');
    slots.renewUntil = clock.monotonic() + 500;
    clock.advance(499);
    await beat.beat();
    clock.advance(1);
    await beat.beat();
    expect(asked).to.deep.equal([['a']]);
    clock.advance(TTL_MS);
    await beat.beat();
    expect(lost).to.deep.equal([1]);
  });

  it('L12: where the process hangs in a call, none of its runs is renewed', async () => {
    hold(1, 'hangs').renewUntil = clock.monotonic() + 500;
    hold(2, 'waits for its agent');
    clock.advance(500);
    await beat.beat();
    expect(asked).to.deep.equal([]);
    clock.advance(TTL_MS);
    await beat.beat();
    expect(lost).to.deep.equal([1, 2]);
  });

  it('L3, L12: while another call of it is in time it need not hang, and the others are renewed', async () => {
    hold(1, 'is late').renewUntil = clock.monotonic() + 500;
    hold(2, 'waits for its agent');
    hold(3, 'in time').renewUntil = clock.monotonic() + 10_000;
    clock.advance(500);
    await beat.beat();
    expect(asked).to.deep.equal([['waits for its agent', 'in time']]);
  });

  it('L3: the first beat is due a third of a length after the lease was taken, however late it is held', () => {
    const slots = hold(1, 'a');
    expect(beat.dueIn()).to.equal(TTL_MS / 3);
    clock.advance(200);
    expect(beat.dueIn()).to.equal(TTL_MS / 3 - 200);
    clock.advance(TTL_MS);
    expect(beat.dueIn()).to.equal(0);
    expect(slots.isLive(clock)).to.equal(false);
  });
});
