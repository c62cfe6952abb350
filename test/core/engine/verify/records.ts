import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  allow,
  callTool,
  defaultPolicy,
  deny,
  OutcomeUnknownError,
  Reconciliation,
  requireApproval,
  type Policy,
} from 'holdpoint';
import { transition } from '../../../../core/store/transition.js';
import { scripted, toolClass } from '../../../support/agents.js';
import { crashInTool, mailer, outside, waitingApproval, type Build } from '../../../support/crash.js';
import { World } from '../../../support/world.js';
import { approve, waitingOn, waitingRun, type Waiting } from '../../store/waiting.js';

/** What tools are called with, and what they return: no fault may show it. */
export const SECRET = 'hunter2';

/** The run that a person's grant brought to its end. */
export const DONE = 'done';

/** The file of a store with many records: written for each test, so that they are made once. */
export async function recordsFile(): Promise<Buffer> {
  const world = new World();
  await manyRecords(world);
  const copy = join(world.dir, 'copy.db');
  world.sql().prepare('VACUUM INTO ?').run(copy);
  const file = readFileSync(copy);
  await world.close();
  return file;
}

/** A world whose store is that file. */
export function worldOf(file: Buffer): World {
  const world = new World();
  writeFileSync(world.file, file, { mode: 0o600 });
  return world;
}

/** Fills a store with runs that have come to as many ends, and have been left in as many states, as there are. */
async function manyRecords(world: World): Promise<void> {
  await clerks(world);
  await mailers(world);
  await limited(world);
  for (const [name, build] of Object.entries(INTERRUPTED)) await interrupted(world, name, build);
  await settled(world);
  await crashInTool(world, outside(), {}, {}, 'left-in-a-call');
}

/** Runs around an approval, with times that bound its answer. */
async function clerks(world: World): Promise<void> {
  const first = await waitingRun(world, { approvalTtlMs: 500_000, grantTtlMs: 900_000 }, 'waiting');
  const more = (id: string): Promise<Waiting> => waitingOn(first.mortal, first.sent, id);
  const { client } = first.mortal.runtime;
  const done = await more(DONE);
  await approve(done);
  await first.mortal.runtime.resume(DONE);
  await approve(await more('granted'));
  const rejected = (await more('rejected')).approval;
  await client.approvals.reject(rejected.id, { hash: rejected.hash, by: 'ann', note: 'not now' });
  await more('cancelled');
  await client.cancel('cancelled', { by: 'ann', reason: 'no need' });
  await approve(await more('cancelled-when-granted'));
  await client.cancel('cancelled-when-granted', { by: 'ann' });
  await client.start('clerk', { goal: 'later', id: 'not-begun' });
  await expired(world, await more('expired'));
  await releasedRun(world);
}

async function expired(world: World, { mortal }: Waiting): Promise<void> {
  world.clock.advance(600_000);
  await mortal.runtime.resume('expired');
}

/** A run whose owner has stopped cleanly between two steps. */
async function releasedRun(world: World): Promise<void> {
  const { runId, dead } = await crashInTool(world, outside(), {}, {}, 'released');
  dead.dieAfter(1);
  world.clock.advance(5);
  await transition(dead.store, runId, () => ({ run: { lease: null }, events: [] }));
}

const RAW = '{"text":';

/** Runs whose policy, or whose agent, says something else than usual. */
async function mailers(world: World): Promise<void> {
  const start = async (id: string, policy: Policy, build: Build = {}): Promise<void> => {
    const { runtime } = await world.open([mailer(outside(), build)], { policy });
    await runtime.start('mailer', { goal: 'send a note', id });
  };
  await start('denied', () => deny('closed today'));
  await start('policy-abort', () => ({ kind: 'abort', reason: 'never' }));
  await start('agent-error', () => allow(), {
    decide: () => {
      throw new Error('out of order');
    },
  });
  await start('unparsed', () => allow(), {
    decide: ({ steps }) =>
      steps.length === 0 ? { kind: 'tool', tool: 'send', args: RAW } : { kind: 'fail', message: 'out of reach' },
  });
  const again = await world.open([mailer(outside())], { policy: () => requireApproval({ kind: 'mail' }) });
  const run = await again.runtime.start('mailer', { goal: 'send a note', id: 'asked-otherwise' });
  const { id, hash } = await waitingApproval(again, run);
  await again.runtime.client.approvals.approve(id, { hash, by: 'ann' });
  const strict = await world.open([mailer(outside())], { policy: () => requireApproval({ kind: 'letter' }) });
  await strict.runtime.resume(run.id);
}

/** Runs that a limit has ended. */
async function limited(world: World): Promise<void> {
  const act = (): unknown => ({ password: SECRET });
  const count = toolClass(false, { name: 'count' }, act);
  const failing = toolClass(false, { name: 'count' }, () => {
    throw new Error('no');
  });
  for (const [id, tool] of Object.entries({ looping: count, failing })) {
    const { runtime } = await world.open([scripted('counter', [tool], [callTool('count', { text: SECRET })])]);
    await runtime.start('counter', { goal: 'count', id });
  }
}

const INTERRUPTED: Readonly<Record<string, Build>> = {
  continued: { reconcile: () => Reconciliation.continue('not sent') },
  'continued-in-silence': { reconcile: () => Reconciliation.continue() },
  recovered: { reconcile: () => Reconciliation.complete({ id: 1 }) },
  conflict: { reconcile: () => Reconciliation.conflict('sent to somebody else') },
  'read-only': { readOnly: true },
  'asks-a-person': {},
};

async function interrupted(world: World, id: string, build: Build): Promise<void> {
  await crashInTool(world, outside(), build, {}, id);
  const next = await world.open([mailer(outside(), build)], { policy: defaultPolicy });
  await next.runtime.resume(id);
}

/** Runs whose tool did not know its outcome, and of which a person did. */
async function settled(world: World): Promise<void> {
  const act = (): never => {
    throw new OutcomeUnknownError('the line was cut');
  };
  for (const terminal of [false, true]) {
    const mortal = await world.open([mailer(outside(), { act, options: { terminal } })]);
    const run = await mortal.runtime.start('mailer', { goal: 'send a note', id: `settled-${terminal}` });
    const { id, hash } = await waitingApproval(mortal, run);
    await mortal.runtime.client.approvals.settle(id, { hash, by: 'ann', result: { id: 3 } });
    if (!terminal) await mortal.runtime.resume(run.id);
  }
}
