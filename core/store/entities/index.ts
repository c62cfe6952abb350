import { ApprovalRow } from './approval-row.js';
import { EventRow } from './event-row.js';
import { ModelCallRow } from './model-call-row.js';
import { RunRow } from './run-row.js';
import { StepRow } from './step-row.js';
import { ToolSpecRow } from './tool-spec-row.js';

export { ApprovalRow, EventRow, ModelCallRow, RunRow, StepRow, ToolSpecRow };

/** Every table of the store. */
export const ENTITIES = [RunRow, StepRow, ApprovalRow, ModelCallRow, ToolSpecRow, EventRow];
