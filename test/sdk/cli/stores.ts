import { readFileSync, writeFileSync } from 'node:fs';
import { defaultPolicy, type Approval } from 'holdpoint';
import { crashInTool, outside, waitingApproval, mailer } from '../../support/crash.js';
import { World } from '../../support/world.js';
import { approve, clerk, waitingOn } from '../../core/store/waiting.js';

/** A store with one run of each kind that an operator meets, and nobody who executes any. */
export interface Stores {
  readonly world: World;
  readonly file: string;
  /** What run `asks` waits for. */
  readonly asked: Approval;
  /** What run `crashed` waits for: whether a call that was cut off by a death took effect. */
  readonly interrupted: Approval;
}

/**
 * - `done` has completed, `asks` waits for a person, `granted` was approved and not resumed
 * - `crashed` was taken over from a dead process, and waits for a person
 * - `dead` was left behind by a process that died
 */
export async function stores(): Promise<Stores> {
  const { bytes, now, ...waiting } = await (made ??= make());
  const world = new World();
  writeFileSync(world.file, bytes, { mode: 0o600 });
  world.clock.advance(now - world.clock.now());
  return { world, file: world.file, ...waiting };
}

/** Made once, and copied for each that is asked for: no test sees what another did to its own. */
let made: ReturnType<typeof make> | undefined;

async function make() {
  const world = new World();
  const dying = await crashInTool(world, outside());
  const next = await world.open([mailer(outside())]);
  const interrupted = await waitingApproval(next, await next.runtime.resume(dying.runId));
  const office = await world.open([clerk([])], { policy: defaultPolicy });
  const done = await waitingOn(office, [], 'done');
  await approve(done);
  await office.runtime.resume('done');
  const { approval: asked } = await waitingOn(office, [], 'asks');
  await approve(await waitingOn(office, [], 'granted'));
  await leaveBehind(world);
  await world.release();
  const bytes = readFileSync(world.file);
  await world.close();
  return { bytes, now: world.clock.now(), asked, interrupted };
}

async function leaveBehind(world: World): Promise<void> {
  const mortal = await world.open([mailer(outside(), { act: () => 'sent' })]);
  mortal.dieAfter(2);
  await mortal.runtime.start('mailer', { goal: 'never finished', id: 'dead' }).catch(() => undefined);
  world.expireLeases();
}
