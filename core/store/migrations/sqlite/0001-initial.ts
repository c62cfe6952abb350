import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `CREATE TABLE "holdpoint_runs" (
    "seq" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
    "id" varchar NOT NULL,
    "agent" varchar NOT NULL,
    "goal" text NOT NULL,
    "status" varchar NOT NULL,
    "reason" varchar,
    "message" text,
    "result" text,
    "limits" text NOT NULL,
    "step_count" integer NOT NULL,
    "active_ms" bigint NOT NULL,
    "lease_owner" varchar,
    "lease_expires_at" bigint,
    "event_count" integer NOT NULL,
    "head_hash" varchar NOT NULL,
    "created_at" bigint NOT NULL,
    "started_at" bigint,
    "updated_at" bigint NOT NULL,
    "finished_at" bigint,
    CONSTRAINT "holdpoint_runs_status"
      CHECK (status IN ('PENDING','RUNNING','WAITING','COMPLETED','FAILED','CANCELLED')),
    CONSTRAINT "holdpoint_runs_lease" CHECK ((lease_owner IS NULL) = (lease_expires_at IS NULL)),
    CONSTRAINT "holdpoint_runs_leased" CHECK (lease_owner IS NULL OR status = 'RUNNING'),
    CONSTRAINT "holdpoint_runs_ended" CHECK ((finished_at IS NULL) = (status IN ('PENDING','RUNNING','WAITING'))),
    CONSTRAINT "holdpoint_runs_reason" CHECK ((reason IS NULL) = (finished_at IS NULL))
  )`,
  `CREATE UNIQUE INDEX "holdpoint_runs_id" ON "holdpoint_runs" ("id")`,
  `CREATE INDEX "holdpoint_runs_by_status" ON "holdpoint_runs" ("status", "lease_expires_at")`,
  `CREATE TABLE "holdpoint_steps" (
    "id" varchar PRIMARY KEY NOT NULL,
    "run_id" varchar NOT NULL,
    "idx" integer NOT NULL,
    "status" varchar NOT NULL,
    "decision" text,
    "raw_decision" text,
    "tool" varchar,
    "args" text,
    "spec_hash" varchar,
    "operation_id" varchar NOT NULL,
    "attempt" integer NOT NULL,
    "policy" text,
    "cause" varchar,
    "observation" text,
    "started_at" bigint NOT NULL,
    "tool_started_at" bigint,
    "interrupted_at" bigint,
    "finished_at" bigint,
    CONSTRAINT "holdpoint_steps_status"
      CHECK (status IN ('deciding','awaiting_approval','executing','done','failed','interrupted')),
    CONSTRAINT "holdpoint_steps_observed" CHECK (status NOT IN ('done','failed') OR observation IS NOT NULL),
    CONSTRAINT "holdpoint_steps_started"
      CHECK (status <> 'executing' OR (tool_started_at IS NOT NULL AND attempt > 0))
  )`,
  `CREATE UNIQUE INDEX "holdpoint_steps_by_run" ON "holdpoint_steps" ("run_id", "idx")`,
  `CREATE TABLE "holdpoint_approvals" (
    "seq" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
    "id" varchar NOT NULL,
    "run_id" varchar NOT NULL,
    "step_id" varchar NOT NULL,
    "kind" varchar NOT NULL,
    "capability" varchar NOT NULL,
    "presentation" text NOT NULL,
    "request" text NOT NULL,
    "hash" varchar NOT NULL,
    "status" varchar NOT NULL,
    "requested_at" bigint NOT NULL,
    "expires_at" bigint,
    "grant_ttl_ms" bigint,
    "decided_at" bigint,
    "decided_by" varchar,
    "note" text,
    "result" text,
    CONSTRAINT "holdpoint_approvals_status"
      CHECK (status IN ('pending','approved','rejected','settled','expired','spent','cancelled')),
    CONSTRAINT "holdpoint_approvals_decided"
      CHECK (status NOT IN ('approved','rejected','settled','spent')
        OR (decided_at IS NOT NULL AND decided_by IS NOT NULL))
  )`,
  `CREATE UNIQUE INDEX "holdpoint_approvals_id" ON "holdpoint_approvals" ("id")`,
  `CREATE INDEX "holdpoint_approvals_by_run" ON "holdpoint_approvals" ("run_id")`,
  `CREATE INDEX "holdpoint_approvals_by_status" ON "holdpoint_approvals" ("status")`,
  `CREATE UNIQUE INDEX "holdpoint_approvals_open" ON "holdpoint_approvals" ("step_id")
    WHERE status IN ('pending','approved')`,
  `CREATE TABLE "holdpoint_model_calls" (
    "id" varchar PRIMARY KEY NOT NULL,
    "run_id" varchar NOT NULL,
    "step_id" varchar NOT NULL,
    "attempt" integer NOT NULL,
    "status" varchar NOT NULL,
    "model" varchar NOT NULL,
    "usage" text,
    "dispatched_at" bigint NOT NULL,
    "finished_at" bigint,
    CONSTRAINT "holdpoint_model_calls_status" CHECK (status IN ('dispatched','completed','failed'))
  )`,
  `CREATE UNIQUE INDEX "holdpoint_model_calls_by_step" ON "holdpoint_model_calls" ("step_id", "attempt")`,
  `CREATE TABLE "holdpoint_tool_specs" ("hash" varchar PRIMARY KEY NOT NULL, "spec" text NOT NULL)`,
  `CREATE TABLE "holdpoint_events" (
    "seq" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
    "run_id" varchar NOT NULL,
    "idx" integer NOT NULL,
    "type" varchar NOT NULL,
    "payload" text NOT NULL,
    "created_at" bigint NOT NULL,
    "hash" varchar NOT NULL
  )`,
  `CREATE UNIQUE INDEX "holdpoint_events_by_run" ON "holdpoint_events" ("run_id", "idx")`,
];

/** The first schema. */
export class Initial1764460800000 implements MigrationInterface {
  readonly name = 'Initial1764460800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(onOneLine(statement));
  }

  down(): Promise<void> {
    throw new Error('migrations go forward only; restore a backup instead');
  }
}

/** TypeORM reads checks back out of the text of a table, and only those that are on one line. */
function onOneLine(statement: string): string {
  return statement.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')');
}
