import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { epochMs } from './columns.js';

/** `holdpoint_steps`: one row a step. */
@Entity({ name: 'holdpoint_steps' })
@Index('holdpoint_steps_by_run', ['runId', 'index'], { unique: true })
@Check('holdpoint_steps_status', `status IN ('deciding','awaiting_approval','executing','done','failed','interrupted')`)
@Check('holdpoint_steps_observed', `status NOT IN ('done','failed') OR observation IS NOT NULL`)
@Check('holdpoint_steps_started', `status <> 'executing' OR (tool_started_at IS NOT NULL AND attempt > 0)`)
export class StepRow {
  @PrimaryColumn({ name: 'id', type: 'varchar' })
  id!: string;

  @Column({ name: 'run_id', type: 'varchar' })
  runId!: string;

  @Column({ name: 'idx', type: 'int' })
  index!: number;

  @Column({ name: 'status', type: 'varchar' })
  status!: string;

  @Column({ name: 'decision', type: 'text', nullable: true })
  decision!: string | null;

  /** As an ASCII JSON string literal, so that a lone surrogate survives. */
  @Column({ name: 'raw_decision', type: 'text', nullable: true })
  rawDecision!: string | null;

  @Column({ name: 'tool', type: 'varchar', nullable: true })
  tool!: string | null;

  @Column({ name: 'args', type: 'text', nullable: true })
  args!: string | null;

  @Column({ name: 'spec_hash', type: 'varchar', nullable: true })
  specHash!: string | null;

  @Column({ name: 'operation_id', type: 'varchar' })
  operationId!: string;

  @Column({ name: 'attempt', type: 'int' })
  attempt!: number;

  @Column({ name: 'policy', type: 'text', nullable: true })
  policy!: string | null;

  @Column({ name: 'cause', type: 'varchar', nullable: true })
  cause!: string | null;

  @Column({ name: 'observation', type: 'text', nullable: true })
  observation!: string | null;

  @Column({ name: 'started_at', type: 'bigint', transformer: epochMs })
  startedAt!: number;

  @Column({ name: 'tool_started_at', type: 'bigint', nullable: true, transformer: epochMs })
  toolStartedAt!: number | null;

  @Column({ name: 'interrupted_at', type: 'bigint', nullable: true, transformer: epochMs })
  interruptedAt!: number | null;

  @Column({ name: 'finished_at', type: 'bigint', nullable: true, transformer: epochMs })
  finishedAt!: number | null;
}
