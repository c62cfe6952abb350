import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { epochMs } from './columns.js';

/** `holdpoint_runs`: one row a run. JSON is kept as text, so that a row that does not decode can still be read (S9). */
@Entity({ name: 'holdpoint_runs' })
@Index('holdpoint_runs_id', ['id'], { unique: true })
@Index('holdpoint_runs_by_status', ['status', 'leaseExpiresAt'])
@Check('holdpoint_runs_status', `status IN ('PENDING','RUNNING','WAITING','COMPLETED','FAILED','CANCELLED')`)
@Check('holdpoint_runs_lease', `(lease_owner IS NULL) = (lease_expires_at IS NULL)`)
@Check('holdpoint_runs_leased', `lease_owner IS NULL OR status = 'RUNNING'`)
@Check('holdpoint_runs_ended', `(finished_at IS NULL) = (status IN ('PENDING','RUNNING','WAITING'))`)
@Check('holdpoint_runs_reason', `(reason IS NULL) = (finished_at IS NULL)`)
export class RunRow {
  @PrimaryGeneratedColumn({ name: 'seq', type: 'integer' })
  seq!: number;

  @Column({ name: 'id', type: 'varchar' })
  id!: string;

  @Column({ name: 'agent', type: 'varchar' })
  agent!: string;

  @Column({ name: 'goal', type: 'text' })
  goal!: string;

  @Column({ name: 'status', type: 'varchar' })
  status!: string;

  @Column({ name: 'reason', type: 'varchar', nullable: true })
  reason!: string | null;

  @Column({ name: 'message', type: 'text', nullable: true })
  message!: string | null;

  @Column({ name: 'result', type: 'text', nullable: true })
  result!: string | null;

  @Column({ name: 'limits', type: 'text' })
  limits!: string;

  @Column({ name: 'step_count', type: 'int' })
  stepCount!: number;

  @Column({ name: 'active_ms', type: 'bigint', transformer: epochMs })
  activeMs!: number;

  @Column({ name: 'lease_owner', type: 'varchar', nullable: true })
  leaseOwner!: string | null;

  @Column({ name: 'lease_expires_at', type: 'bigint', nullable: true, transformer: epochMs })
  leaseExpiresAt!: number | null;

  @Column({ name: 'event_count', type: 'int' })
  eventCount!: number;

  @Column({ name: 'head_hash', type: 'varchar' })
  headHash!: string;

  @Column({ name: 'created_at', type: 'bigint', transformer: epochMs })
  createdAt!: number;

  @Column({ name: 'started_at', type: 'bigint', nullable: true, transformer: epochMs })
  startedAt!: number | null;

  @Column({ name: 'updated_at', type: 'bigint', transformer: epochMs })
  updatedAt!: number;

  @Column({ name: 'finished_at', type: 'bigint', nullable: true, transformer: epochMs })
  finishedAt!: number | null;
}
