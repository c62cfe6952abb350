import { NotFoundError } from '../errors.js';
import { sha256 } from '../model/hash.js';
import type { Approval } from '../model/approval.js';
import type { RunEvent } from '../model/event.js';
import type { State } from '../model/moves/change.js';
import type { Run } from '../model/run.js';
import type { Step } from '../model/step.js';
import type { ToolSpec } from '../model/tool.js';
import { decodeApproval, decodeEvent, decodeRun, decodeSpec, decodeStep } from './decode.js';
import type { Store } from './store.js';
import type { Sql } from './table.js';

/** Of a store in which somebody took the index away, the first row of an id is read, whoever reads it. */
export const FIRST = { by: 'seq', limit: 1 } as const;

export async function loadRun(store: Store, sql: Sql, id: string): Promise<Run> {
  const [row] = await store.tables.runs.find(sql, { id }, FIRST);
  if (!row) throw new NotFoundError('run', id);
  return decodeRun(row);
}

/** The run with its last step and that step's last approval; `earlier` steps are not loaded. */
export async function loadState(store: Store, sql: Sql, runId: string): Promise<State> {
  const run = await loadRun(store, sql, runId);
  const [stepRow] = await store.tables.steps.find(sql, { runId, index: run.stepCount });
  const step = stepRow ? decodeStep(stepRow) : null;
  const approval = step ? await lastApproval(store, sql, step.id) : null;
  return { run, step, approval, earlier: [] };
}

async function lastApproval(store: Store, sql: Sql, stepId: string): Promise<Approval | null> {
  const [row] = await store.tables.approvals.find(sql, { stepId }, { by: 'seq', descending: true, limit: 1 });
  return row ? decodeApproval(row) : null;
}

export async function loadApproval(store: Store, sql: Sql, id: string): Promise<Approval> {
  const [row] = await store.tables.approvals.find(sql, { id }, FIRST);
  if (!row) throw new NotFoundError('approval', id);
  return decodeApproval(row);
}

/** Every step of a run, oldest first. */
export async function loadSteps(store: Store, sql: Sql, runId: string): Promise<Step[]> {
  return (await store.tables.steps.find(sql, { runId }, { by: 'index' })).map(decodeStep);
}

/** Every approval of a run, oldest first. */
export async function loadApprovals(store: Store, sql: Sql, runId: string): Promise<Approval[]> {
  return (await store.tables.approvals.find(sql, { runId }, { by: 'seq' })).map(decodeApproval);
}

/** Every event of a run, oldest first. */
export async function loadEvents(store: Store, sql: Sql, runId: string): Promise<RunEvent[]> {
  return (await store.tables.events.find(sql, { runId }, { by: 'index' })).map(decodeEvent);
}

/** The spec that a step's call was last judged by; null if it has none, or its text is not the one that was hashed. */
export async function loadSpec(store: Store, sql: Sql, hash: string | null): Promise<ToolSpec | null> {
  if (hash === null) return null;
  const [row] = await store.tables.specs.find(sql, { hash });
  return row && sha256(row.spec) === hash ? decodeSpec(row.spec) : null;
}
