import { timeText } from './model/time.js';

/**
 * Every error that Holdpoint throws on purpose.
 *
 * Each has a stable `code`, and a message that says what happened, what is true now and what to do.
 * No message carries a tool's arguments or results: errors end up in logs, records do not.
 */

/** Base of all of them. Catch this to tell Holdpoint's refusals from faults of your own. */
export abstract class HoldpointError extends Error {
  /** Stable across versions; branch on this rather than on the message. */
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A class, decorator or option of the program is declared wrongly. Thrown when the runtime opens; nothing was started. */
export class DefinitionError extends HoldpointError {
  readonly code = 'DEFINITION';
}

/** An argument of a call is not what it must be. Nothing was changed. */
export class InvalidArgumentError extends HoldpointError {
  readonly code = 'INVALID_ARGUMENT';
}

/** A value cannot be written as JSON without changing it (contract S8). `path` leads to the part that cannot. */
export class InvalidJsonError extends HoldpointError {
  readonly code = 'INVALID_JSON';

  constructor(
    /** Where, e.g. `result.items[2].price`. */
    readonly path: string,
    /** What is there, e.g. `NaN`. */
    readonly found: string,
  ) {
    super(`${path}: ${found}`);
  }
}

/** No such run, step, approval, agent or store. */
export class NotFoundError extends HoldpointError {
  readonly code = 'NOT_FOUND';

  constructor(
    readonly kind: 'run' | 'step' | 'approval' | 'agent' | 'store',
    readonly id: string,
    advice = '',
  ) {
    super(`no ${kind} ${JSON.stringify(id)}${advice ? `: ${advice}` : ''}`);
  }
}

/** A run of this id exists already. It was not touched. */
export class RunExistsError extends HoldpointError {
  readonly code = 'RUN_EXISTS';

  constructor(readonly runId: string) {
    super(`run ${JSON.stringify(runId)} exists already and was not touched; resume it, or start with another id`);
  }
}

/** The run is not in a state that allows this. Nothing was changed. */
export class RunStateError extends HoldpointError {
  readonly code = 'RUN_STATE';

  constructor(
    readonly runId: string,
    /** The status that the run has now. */
    readonly status: string,
    /** Why it ended, if it has. */
    readonly reason: string | null,
    attempted: string,
  ) {
    super(`cannot ${attempted} run ${runId}: it is ${status}${reason ? ` (${reason})` : ''}; nothing was changed`);
  }
}

/**
 * Another owner holds this run's lease, and it has not expired. Nothing was changed.
 *
 * Wait until `expiresAt`, or resume from the process that holds it (contract L6).
 */
export class RunLeasedError extends HoldpointError {
  readonly code = 'RUN_LEASED';

  constructor(
    readonly runId: string,
    readonly owner: string,
    readonly expiresAt: Date,
  ) {
    super(`run ${runId} is leased by ${owner} until ${timeText(expiresAt)}; nothing was changed`);
  }
}

/**
 * This process no longer holds the run: its lease expired or was taken over (contract L4, L5).
 *
 * It stopped before its next tool call and recorded nothing more. Whoever resumes the run decides what becomes of it.
 */
export class LeaseLostError extends HoldpointError {
  readonly code = 'LEASE_LOST';

  constructor(
    readonly runId: string,
    readonly owner: string,
    why: string,
  ) {
    super(`${owner} lost the lease on run ${runId}: ${why}; it stopped and recorded nothing more`);
  }
}

/** The approval was decided, spent or cancelled before. Nothing was changed. */
export class NotPendingError extends HoldpointError {
  readonly code = 'NOT_PENDING';

  constructor(
    readonly approvalId: string,
    readonly status: string,
  ) {
    super(`approval ${approvalId} is ${status}, not pending; nothing was decided`);
  }
}

/** The request is not the one that the decision was made on (contract A2). Nothing was decided: show the new one. */
export class ApprovalChangedError extends HoldpointError {
  readonly code = 'APPROVAL_CHANGED';

  constructor(
    readonly approvalId: string,
    why: string,
  ) {
    super(
      `approval ${approvalId}: ${why}; nothing was decided. Read the approval again and decide on what it says now`,
    );
  }
}

/** The approval's time ran out (contract A5). Its run is cancelled as `approval_expired`; nothing was executed. */
export class ApprovalExpiredError extends HoldpointError {
  readonly code = 'APPROVAL_EXPIRED';

  constructor(
    readonly approvalId: string,
    readonly expiredAt: Date,
  ) {
    super(
      `approval ${approvalId} expired at ${timeText(expiredAt)}; ` +
        'its run is cancelled as approval_expired and nothing was executed',
    );
  }
}

/**
 * The run would go on with a decision that is not signed by one of the runtime's approvers (contract A7).
 *
 * Nothing was changed and nothing was called. A decision is made once: the run can be cancelled, or go on in a runtime
 * whose approvers include the key.
 */
export class DecisionNotSignedError extends HoldpointError {
  readonly code = 'DECISION_NOT_SIGNED';

  constructor(
    readonly runId: string,
    /** The approval at fault; null if it is that there is none. */
    readonly approvalId: string | null,
    /** What is wrong with it, e.g. `it is not signed`. */
    readonly why: string,
  ) {
    const what = approvalId === null ? '' : `approval ${approvalId}: `;
    super(
      `run ${runId} would go on with a decision that no approver made (${what}${why}); nothing was changed and nothing ` +
        'was called. Find out who wrote it and cancel the run; if it was signed with a key that you trust, add that key ' +
        'to approvers and resume',
    );
  }
}

/** The database was written by a newer version. It was not touched. */
export class SchemaVersionError extends HoldpointError {
  readonly code = 'SCHEMA_VERSION';
}

/** Somebody else could have written to the file or to what lies beside it, or put it there. It was not opened. */
export class InsecureStoreError extends HoldpointError {
  readonly code = 'INSECURE_STORE';

  constructor(
    readonly path: string,
    reason: string,
    fix: string,
  ) {
    super(`${path} ${reason}, and was not opened; ${fix}`);
  }
}

/** The database holds code of somebody's, which would run when it is written to or read. It was not touched. */
export class UnsafeSchemaError extends HoldpointError {
  readonly code = 'UNSAFE_SCHEMA';

  constructor(
    readonly path: string,
    /** What it holds, e.g. `the trigger "skim" on "orders"`. */
    readonly found: string,
  ) {
    super(`${path} holds ${found}, and was not touched; drop it, or keep it in a database of its own`);
  }
}

/** The database cannot be opened, read or written. What was under way was rolled back whole. */
export class StoreError extends HoldpointError {
  readonly code = 'STORE';
}

/** A stored row does not decode (contract S9). Its run can be shown and cancelled, not continued. */
export class UndecodableError extends HoldpointError {
  readonly code = 'UNDECODABLE';

  constructor(
    readonly runId: string,
    readonly detail: string,
  ) {
    super(`run ${runId} holds a row that cannot be decoded (${detail}); it can be shown and cancelled, not continued`);
  }
}

/** The runtime or client was closed. Its runs continue at the next resume. */
export class ClosedError extends HoldpointError {
  readonly code = 'CLOSED';
}

/** Thrown by a tool: the whole run ends here, as `tool_abort`. */
export class AbortRunError extends HoldpointError {
  readonly code = 'ABORT_RUN';
}

/**
 * Thrown by a tool that cannot tell whether its call took effect, e.g. after a dropped connection (contract I9).
 *
 * The call is then reconciled or put to a person, never reported to the agent as a plain failure.
 */
export class OutcomeUnknownError extends HoldpointError {
  readonly code = 'OUTCOME_UNKNOWN';
}
