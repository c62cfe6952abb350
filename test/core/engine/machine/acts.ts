import assert from 'node:assert/strict';
import type fc from 'fast-check';
import { compare, compareStop } from './compare.js';
import { lateLine } from './model/attempt.js';
import { resume as resuming } from './model/loop.js';
import type { Model } from './model/model.js';
import { cancel as cancelling, decide as deciding, PERSON, type Answer, type Shown } from './model/operator.js';
import type { Ask, Mishap, Runner, Said, Stop } from './model/runner.js';
import { nameOf, type Standstill } from './real/process.js';
import { AGENT } from './real/program.js';
import { RUN, type Real } from './real/real.js';
import { FOUND, type Outcome, type Revision } from './vocabulary.js';

/** What a test can do: each is done to the model and to the store, and what came of it is compared. */

export type Command = fc.AsyncCommand<Model, Real>;

/** How much is still tried after the run has ended. */
const MAX_AFTERWARDS = 4;

interface Act {
  readonly says: string;
  readonly applies: (model: Readonly<Model>) => boolean;
  readonly does: (model: Model, real: Real) => Promise<void>;
}

function command({ says, applies, does }: Act): Command {
  return {
    check: (model) => model.afterwards < MAX_AFTERWARDS && applies(model),
    run: async (model, real) => {
      model.done.push(says);
      if (model.record.isTerminal) model.afterwards += 1;
      await does(model, real);
      await compare(model, real);
    },
    toString: () => says,
  };
}

/** Answers what a loop asks. */
export function say(at: Ask['at'], said: Said, older: boolean, mishap: Mishap | null): Command {
  const asking = (model: Readonly<Model>): Runner[] => model.runners.filter(({ ask }) => ask?.at === at);
  return command({
    says: `${at}${older ? ' of the oldest' : ''}: ${JSON.stringify(said)}${mishapLine(mishap)}`,
    applies: (model) => asking(model).length > 0,
    does: async (model, real) => {
      const runner = asking(model).at(older ? -1 : 0)!;
      const expected = runner.answer(said, mishap);
      await stand(model, real, runner, expected, await real.process(runner.name).answer(said, mishap));
    },
  });
}

/** Resumes a run that can be resumed, in a process that does nothing else. */
export function resume(fresh: boolean, revision: Revision, mishap: Mishap | null): Command {
  return command({
    says: `resume in ${fresh ? `a new process (${revision})` : 'a process'}${mishapLine(mishap)}`,
    applies: (model) => isResumable(model) && (model.hasRoom || idle(model).length > 0),
    does: (model, real) => resumeIn(model, real, fresh, revision, mishap),
  });
}

/** Resumes one that cannot be: nothing changes. */
export function resumeInVain(fresh: boolean): Command {
  return command({
    says: 'resume in vain',
    applies: (model) => !isResumable(model) && (model.hasRoom || idle(model).length > 0),
    does: (model, real) => resumeIn(model, real, fresh, 'same', null),
  });
}

/** A process that executes the run, or that stops, refuses to begin with it again (L6). */
export function beginTwice(older: boolean, how: 'start' | 'resume'): Command {
  return command({
    says: `${how} in a process that is busy`,
    applies: (model) => model.runners.some(({ isBusy }) => isBusy),
    does: async (model, real) => {
      const runner = model.runners.filter(({ isBusy }) => isBusy).at(older ? -1 : 0)!;
      const came = await real.process(runner.name).refused((runtime) => {
        return how === 'resume' ? runtime.resume(RUN) : runtime.start(AGENT, { id: RUN, goal: 'again' });
      });
      assert.equal(came, runner.closing ? 'ClosedError' : 'RunLeasedError');
    },
  });
}

/** An idle process refuses to start a run that exists. */
export function startAgain(): Command {
  return command({
    says: 'start again',
    applies: (model) => idle(model).length > 0,
    does: async (model, real) => {
      const process = real.process(idle(model)[0]!.name);
      const came = await process.refused((runtime) => runtime.start(AGENT, { id: RUN, goal: 'again' }));
      assert.equal(came, 'RunExistsError');
    },
  });
}

export function crash(older: boolean): Command {
  return command({
    says: `crash of the ${older ? 'oldest' : 'newest'}`,
    applies: ({ runners }) => runners.length > 0,
    does: async (model, real) => {
      await kill(model, real, model.runners.at(older ? -1 : 0)!);
    },
  });
}

/** A process dies during a call, or while it asks what came of one. */
export function crashInCall(): Command {
  const calling = ({ runners }: Readonly<Model>): Runner | undefined =>
    runners.find(({ ask }) => ask?.at === 'tool' || ask?.at === 'reconciliation');
  return command({
    says: 'crash in a call',
    applies: (model) => calling(model) !== undefined,
    does: (model, real) => kill(model, real, calling(model)!),
  });
}

/** Stops a process cleanly; one that is busy stops after its step (L11). */
export function close(older: boolean): Command {
  const open = (model: Readonly<Model>): Runner[] => model.runners.filter(({ closing }) => !closing);
  return command({
    says: `close of the ${older ? 'oldest' : 'newest'}`,
    applies: (model) => open(model).length > 0,
    does: async (model, real) => {
      const runner = open(model).at(older ? -1 : 0)!;
      runner.closing = true;
      real.process(runner.name).beginClosing();
      if (!runner.isBusy) remove(model, real, runner);
    },
  });
}

/** Decides what waits for a person. */
export function decide(answer: Answer, shown: Shown): Command {
  return command({
    says: `${answer} with ${shown} hash`,
    applies: ({ record }) => record.approval?.status === 'pending',
    does: (model, real) => decideOn(model, real, model.record.approvalPlace, answer, shown),
  });
}

/** Decides whatever was ever asked, with any hash. */
export function decideAnyhow(answer: Answer, shown: Shown, place: number): Command {
  return command({
    says: `${answer} approval ${place + 1} with ${shown} hash`,
    applies: ({ record }) => place < record.approvals.length,
    does: (model, real) => decideOn(model, real, place, answer, shown),
  });
}

export function cancel(): Command {
  return command({
    says: 'cancel',
    applies: () => true,
    does: async ({ record }, { client }) => {
      const came = await client.cancel(RUN, { by: PERSON }).then(({ status }) => status, nameOf);
      assert.equal(came, cancelling(record));
    },
  });
}

/** The lease of a process that is gone, or that no longer executes the run, runs out. */
export function lapse(): Command {
  return command({
    says: 'the lease lapses',
    applies: ({ record, runners }) => {
      return record.isLeased && !runners.some(({ isBusy, name }) => isBusy && name === record.lease?.owner);
    },
    does: async (model, real) => pass(model, real, model.record.lease!.expiresAt - model.record.now),
  });
}

export function advance(ms: number): Command {
  return command({
    says: `${ms} ms pass`,
    applies: ({ record }) => !record.isTerminal,
    does: async (model, real) => pass(model, real, ms),
  });
}

/** A call that exceeded its timeout answers after all (I9). */
export function unstick(said: Outcome): Command {
  const waiting = (model: Readonly<Model>): Runner | undefined => model.runners.find(({ stuck }) => stuck.length > 0);
  return command({
    says: `a late answer: ${said}`,
    applies: (model) => waiting(model) !== undefined,
    does: async (model, real) => {
      const runner = waiting(model)!;
      model.record.log(lateLine(runner.stuck.shift()!, said));
      await real.process(runner.name).unstick(0, said);
    },
  });
}

function pass({ record }: Model, { world }: Real, ms: number): void {
  record.now += ms;
  world.clock.advance(ms);
}

function idle({ runners }: Readonly<Model>): Runner[] {
  return runners.filter(({ isBusy, closing }) => !isBusy && !closing);
}

/** Whether a resume would do anything. */
function isResumable({ record }: Readonly<Model>): boolean {
  if (record.isTerminal || record.isLeased) return false;
  const { approval } = record;
  return approval?.status !== 'pending' || record.hasExpired(approval);
}

async function resumeIn(model: Model, real: Real, fresh: boolean, revision: Revision, mishap: Mishap | null) {
  const [free] = idle(model);
  const runner = free && (!fresh || !model.hasRoom) ? free : model.open(revision);
  const process = runner === free ? real.process(runner.name) : await real.open(runner.name, revision);
  const expected = runner.begin(resuming(runner), mishap);
  await stand(model, real, runner, expected, await process.begin((runtime) => runtime.resume(RUN), mishap));
}

/** After a loop has come to a standstill. */
export async function stand(
  model: Model,
  real: Real,
  runner: Runner,
  expected: Stop,
  actual: Standstill,
): Promise<void> {
  await compareStop(expected, actual, real);
  if (expected.kind === 'died') await kill(model, real, runner);
  else if (expected.kind === 'ended' && runner.closing) remove(model, real, runner);
}

async function kill(model: Model, real: Real, runner: Runner): Promise<void> {
  await real.process(runner.name).kill();
  remove(model, real, runner);
}

function remove(model: Model, real: Real, runner: Runner): void {
  real.forget(runner.name);
  model.remove(runner);
}

async function decideOn({ record }: Model, { client }: Real, place: number, answer: Answer, shown: Shown) {
  const { id, hash: right } = (await client.approvals.list({ runId: RUN }))[place]!;
  const hash = { right, wrong: right.replace(/^./, right.startsWith('0') ? '1' : '0'), none: undefined }[shown];
  const options = { hash, by: PERSON } as { hash: string; by: string };
  const { approvals } = client;
  const send = {
    approve: () => approvals.approve(id, options),
    reject: () => approvals.reject(id, options),
    settle: () => approvals.settle(id, { ...options, result: FOUND }),
  }[answer];
  const came = await send().then(({ status }) => status, nameOf);
  assert.equal(came, deciding(record, place, answer, shown));
}

function mishapLine(mishap: Mishap | null): string {
  return mishap ? `, and it ${mishap.kind} ${mishap.commits} commits` : '';
}
