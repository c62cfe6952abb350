import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { epochMs } from './columns.js';

/** `holdpoint_events`: the audit log, a hash chain per run (contract S11). Rows are only ever added. */
@Entity({ name: 'holdpoint_events' })
@Index('holdpoint_events_by_run', ['runId', 'index'], { unique: true })
export class EventRow {
  @PrimaryGeneratedColumn({ name: 'seq', type: 'integer' })
  seq!: number;

  @Column({ name: 'run_id', type: 'varchar' })
  runId!: string;

  @Column({ name: 'idx', type: 'int' })
  index!: number;

  @Column({ name: 'type', type: 'varchar' })
  type!: string;

  @Column({ name: 'payload', type: 'text' })
  payload!: string;

  @Column({ name: 'created_at', type: 'bigint', transformer: epochMs })
  at!: number;

  @Column({ name: 'hash', type: 'varchar' })
  hash!: string;
}
