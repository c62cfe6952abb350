/**
 * Tests of one's own agent: the same proof that Holdpoint gives of itself.
 *
 * `crashSuite` defines a mocha suite that kills the agent at every point where a process can die, and checks that the
 * contract holds; `runScenario` is one such run.
 */

export { crashSuite, discover, type CrashSuiteOptions } from './crash-suite.js';
export { CrashPoint, type Crash, type Reached } from './crash-point.js';
export { runScenario, type CheckScenario, type ScenarioOptions, type ScenarioResult } from './run-scenario.js';
export { checkPolicy, type Disagreement, type PolicyRow, type PolicyTable } from './check-policy.js';
export { fuzzArguments, type FuzzOptions, type FuzzReport, type Leak } from './fuzz-arguments.js';
export { scriptedAgent, type Script } from './scripted-agent.js';
export { sequentialIds } from './ids.js';
export { ManualClock } from '../../core/clock.js';
export { ScenarioViolation } from './assertions.js';
export type { Answer, MakeScenario, Scenario, ScenarioModule, ScenarioSource } from './scenario.js';
export type { RecordedCall } from './trace.js';
export type { WayToDie } from './ways-to-die.js';
