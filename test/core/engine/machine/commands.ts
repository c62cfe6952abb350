import fc from 'fast-check';
import * as acts from './acts.js';
import type { Command } from './acts.js';
import type { Config } from './model/record.js';
import type { Mishap } from './model/runner.js';
import {
  FINDINGS,
  INVALID,
  OUTCOMES,
  REVISIONS,
  TOOLS,
  VERDICTS,
  type Choice,
  type Revision,
  type ToolName,
} from './vocabulary.js';

/** What is drawn, and how often. What ends a run is rare, so that runs get long. */

/** One of these values; as often as its weight says, or once. */
function oneOf<T extends string>(values: readonly T[], weights: Readonly<Partial<Record<T, number>>>): fc.Arbitrary<T> {
  return fc.oneof(...values.map((value) => ({ arbitrary: fc.constant(value), weight: weights[value] ?? 1 })));
}

const commits = fc.integer({ min: 1, max: 3 });

/** Most often nothing befalls a process. */
const mishap = fc.oneof(
  { weight: 20, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.nat(2).map((made): Mishap => ({ commits: made, kind: 'dies before the next' })) },
  { weight: 2, arbitrary: commits.map((made): Mishap => ({ commits: made, kind: 'dies right after' })) },
  { weight: 1, arbitrary: commits.map((made): Mishap => ({ commits: made, kind: 'freezes right after' })) },
);

const tools = Object.keys(TOOLS) as ToolName[];

const choice = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      tool: oneOf(tools, { charge: 6, settle_up: 6, send: 5, look: 4, note: 2, wait_long: 2 }),
      x: fc.constantFrom(1, 2),
      as: fc.constantFrom('object' as const, 'text' as const),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom<Choice>(...INVALID) },
  { weight: 1, arbitrary: fc.constantFrom<Choice>('complete', 'fail', 'throw') },
);

const verdict = oneOf(VERDICTS, { allow: 40, ask: 16, 'ask otherwise': 8, deny: 6, default: 6 });
const outcome = oneOf(OUTCOMES, { one: 8, two: 8, nothing: 3, unknown: 8, error: 6 });
const finding = oneOf(FINDINGS, { continue: 4, complete: 4, wait: 4, throw: 2, perhaps: 2 });
const answer = oneOf(['approve', 'reject', 'settle'] as const, { approve: 10, settle: 3 });
const shown = oneOf(['right', 'wrong', 'none'] as const, { right: 10 });
const revision = oneOf<Revision>(REVISIONS, { same: 6, strict: 2 });
const ms = fc.constantFrom(1_000, 100_000, 300_000, 600_000, 600_000);
const how = fc.constantFrom('start' as const, 'resume' as const);
/** Most often it is the newest process that acts. */
const older = fc.nat(3).map((drawn) => drawn === 3);

const nothing = fc.constant(null);

/** Those of a large weight apply in few states, each of them in others; those of a small one nearly always. */
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 150, arbitrary: fc.tuple(choice, older, mishap).map((drawn) => acts.say('agent', ...drawn)) },
  { weight: 150, arbitrary: fc.tuple(verdict, older, mishap).map((drawn) => acts.say('policy', ...drawn)) },
  { weight: 150, arbitrary: fc.tuple(outcome, older, mishap).map((drawn) => acts.say('tool', ...drawn)) },
  { weight: 150, arbitrary: fc.tuple(finding, older, mishap).map((drawn) => acts.say('reconciliation', ...drawn)) },
  { weight: 150, arbitrary: fc.tuple(fc.boolean(), revision, mishap).map((drawn) => acts.resume(...drawn)) },
  { weight: 150, arbitrary: fc.tuple(answer, shown).map((drawn) => acts.decide(...drawn)) },
  { weight: 150, arbitrary: nothing.map(acts.lapse) },
  { weight: 20, arbitrary: outcome.map(acts.unstick) },
  { weight: 14, arbitrary: ms.map(acts.advance) },
  { weight: 40, arbitrary: nothing.map(acts.crashInCall) },
  { weight: 5, arbitrary: older.map(acts.crash) },
  { weight: 3, arbitrary: older.map(acts.close) },
  { weight: 2, arbitrary: nothing.map(acts.cancel) },
  { weight: 4, arbitrary: fc.tuple(answer, shown, fc.nat(2)).map((drawn) => acts.decideAnyhow(...drawn)) },
  { weight: 3, arbitrary: fc.boolean().map(acts.resumeInVain) },
  { weight: 2, arbitrary: fc.tuple(older, how).map((drawn) => acts.beginTwice(...drawn)) },
  { weight: 1, arbitrary: nothing.map(acts.startAgain) },
);

/** A command applies only in some states: about one in ten is run where it is drawn, and the others are skipped. */
const MAX_DRAWN = 500;

/** Without a bias to short sequences: those are what a failure shrinks to. */
export const commands = fc.noBias(fc.commands([command], { maxCommands: MAX_DRAWN, size: 'max' }));

export const config: fc.Arbitrary<Config> = fc.record({
  created: fc.boolean(),
  agentReconciles: fc.boolean(),
  approvalTtlMs: fc.constantFrom(null, 300_000),
  grantTtlMs: fc.constantFrom(null, 100_000),
  limits: fc.record({
    maxSteps: fc.constantFrom(50, 50, 50, 4, null),
    maxFailures: fc.constantFrom(3, 3, 2, 2, 1, null),
    maxRepeats: fc.constantFrom(3, 3, 2, null),
    maxActiveMs: fc.constantFrom(null, null, 700_000),
    maxElapsedMs: fc.constantFrom(null, null, 2_000_000),
  }),
});
