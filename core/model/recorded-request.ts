import { canonicalJson } from './canonical-json.js';
import type { Run } from './run.js';
import type { Step } from './step.js';
import type { ToolRequest } from './tool.js';

/** Whether this is the request that the step has recorded. */
export function isRequestOf({ runId, stepId, tool, args }: ToolRequest, run: Run, step: Step): boolean {
  const same = runId === run.id && stepId === step.id && tool.name === step.tool;
  return same && canonicalJson(args) === canonicalJson(step.args);
}
