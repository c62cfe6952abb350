import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { epochMs } from './columns.js';

/** `holdpoint_model_calls`: one row an attempt, committed before it is sent (contract P6). */
@Entity({ name: 'holdpoint_model_calls' })
@Index('holdpoint_model_calls_by_step', ['stepId', 'attempt'], { unique: true })
@Check('holdpoint_model_calls_status', `status IN ('dispatched','completed','failed')`)
export class ModelCallRow {
  @PrimaryColumn({ name: 'id', type: 'varchar' })
  id!: string;

  @Column({ name: 'run_id', type: 'varchar' })
  runId!: string;

  @Column({ name: 'step_id', type: 'varchar' })
  stepId!: string;

  @Column({ name: 'attempt', type: 'int' })
  attempt!: number;

  @Column({ name: 'status', type: 'varchar' })
  status!: string;

  @Column({ name: 'model', type: 'varchar' })
  model!: string;

  @Column({ name: 'usage', type: 'text', nullable: true })
  usage!: string | null;

  @Column({ name: 'dispatched_at', type: 'bigint', transformer: epochMs })
  dispatchedAt!: number;

  @Column({ name: 'finished_at', type: 'bigint', nullable: true, transformer: epochMs })
  finishedAt!: number | null;
}
