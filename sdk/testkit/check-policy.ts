import { validateArguments } from '../../core/definition/arguments.js';
import type { Class, ToolDefinition } from '../../core/definition/definition.js';
import * as argument from '../arguments.js';
import { toolsOf } from '../../core/definition/tools.js';
import { InvalidArgumentError } from '../../core/errors.js';
import { DEFAULT_LIMITS } from '../../core/model/limits.js';
import { INTERRUPTION_CAUSES, type InterruptionCause } from '../../core/model/interruption.js';
import { GENESIS_HASH } from '../../core/model/event.js';
import { readPolicyDecision, type Policy, type PolicyDecision } from '../../core/model/policy.js';
import type { Run } from '../../core/model/run.js';
import { describeThrown } from '../../core/model/text.js';

/** One request, and what the policy must answer to it. */
export interface PolicyRow {
  /** The tool's class. */
  readonly tool: Class;
  /** Which of its tools, if it declares several. */
  readonly name?: string;
  /** Must be valid: a policy never sees others (contract P3). */
  readonly args: object;
  readonly expect: PolicyDecision['kind'];
  /** Set if an earlier attempt's outcome is unknown. */
  readonly interrupted?: InterruptionCause;
  /** What the run is like, over a fresh one. */
  readonly run?: Partial<Run>;
}

/** A policy, and what it must answer. */
export interface PolicyTable {
  readonly policy: Policy;
  readonly rows: readonly PolicyRow[];
}

/** A row that the policy answers otherwise. */
export interface Disagreement {
  /** The row's place in the table, from 0. */
  readonly row: number;
  readonly tool: string;
  readonly expected: string;
  /** Its answer's kind, or what is wrong with it. */
  readonly found: string;
}

/**
 * Puts every row to the policy, and reports all disagreements at once. Assert that there are none.
 *
 * @throws InvalidArgumentError if a row's tool or arguments are not valid
 */
export async function checkPolicy({ policy, rows }: PolicyTable): Promise<Disagreement[]> {
  const disagreements: Disagreement[] = [];
  for (const [place, row] of rows.entries()) {
    const tool = toolOf(row, place);
    argument.oneOf(row.expect, `row ${place}: expect`, EXPECTED);
    const found = await answerTo(policy, row, tool, place);
    if (found !== row.expect) disagreements.push({ row: place, tool: tool.spec.name, expected: row.expect, found });
  }
  return disagreements;
}

async function answerTo(policy: Policy, row: PolicyRow, tool: ToolDefinition, place: number): Promise<string> {
  const args = await validateArguments(tool.input, row.args);
  if (!args.ok) throw new InvalidArgumentError(`row ${place} of the policy table: ${args.message}`);
  const interrupted = argument.oneOf(row.interrupted, `row ${place}: interrupted`, INTERRUPTION_CAUSES) ?? null;
  const request = { stepId: 'step', operationId: 'operation', tool: tool.spec, args: args.value, reason: null };
  try {
    const answer = await policy({ ...request, attempt: interrupted ? 1 : 0, interrupted }, { ...RUN, ...row.run });
    const read = readPolicyDecision(answer);
    return read.ok ? read.decision.kind : read.message;
  } catch (thrown) {
    return `threw ${describeThrown(thrown).message}`;
  }
}

function toolOf({ tool, name }: PolicyRow, place: number): ToolDefinition {
  const tools = toolsOf(tool);
  const [first] = name === undefined ? tools : tools.filter(({ spec }) => spec.name === name);
  if (first && (name !== undefined || tools.length === 1)) return first;
  const known = tools.map(({ spec }) => spec.name).join(', ');
  throw new InvalidArgumentError(`row ${place} of the policy table: name one of ${known}`);
}

const EXPECTED: readonly PolicyDecision['kind'][] = ['allow', 'deny', 'require_approval', 'abort'];

const RUN: Run = {
  id: 'run',
  seq: 1,
  agent: 'agent',
  goal: 'a goal',
  status: 'RUNNING',
  reason: null,
  message: null,
  result: null,
  limits: DEFAULT_LIMITS,
  stepCount: 1,
  activeMs: 0,
  lease: null,
  eventCount: 3,
  headHash: GENESIS_HASH,
  createdAt: 0,
  startedAt: 0,
  updatedAt: 0,
  finishedAt: null,
  decodeError: null,
};
