import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { epochMs } from './columns.js';

/** `holdpoint_approvals`: one row a question to a person. A step has at most one that is open. */
@Entity({ name: 'holdpoint_approvals' })
@Index('holdpoint_approvals_id', ['id'], { unique: true })
@Index('holdpoint_approvals_by_run', ['runId'])
@Index('holdpoint_approvals_by_status', ['status'])
@Index('holdpoint_approvals_open', ['stepId'], { unique: true, where: `status IN ('pending','approved')` })
@Check(
  'holdpoint_approvals_status',
  `status IN ('pending','approved','rejected','settled','expired','spent','cancelled')`,
)
@Check(
  'holdpoint_approvals_decided',
  `status NOT IN ('approved','rejected','settled','spent') OR (decided_at IS NOT NULL AND decided_by IS NOT NULL)`,
)
export class ApprovalRow {
  @PrimaryGeneratedColumn({ name: 'seq', type: 'integer' })
  seq!: number;

  @Column({ name: 'id', type: 'varchar' })
  id!: string;

  @Column({ name: 'run_id', type: 'varchar' })
  runId!: string;

  @Column({ name: 'step_id', type: 'varchar' })
  stepId!: string;

  @Column({ name: 'kind', type: 'varchar' })
  kind!: string;

  @Column({ name: 'capability', type: 'varchar' })
  capability!: string;

  @Column({ name: 'presentation', type: 'text' })
  presentation!: string;

  @Column({ name: 'request', type: 'text' })
  request!: string;

  @Column({ name: 'hash', type: 'varchar' })
  hash!: string;

  @Column({ name: 'status', type: 'varchar' })
  status!: string;

  @Column({ name: 'requested_at', type: 'bigint', transformer: epochMs })
  requestedAt!: number;

  @Column({ name: 'expires_at', type: 'bigint', nullable: true, transformer: epochMs })
  expiresAt!: number | null;

  @Column({ name: 'grant_ttl_ms', type: 'bigint', nullable: true, transformer: epochMs })
  grantTtlMs!: number | null;

  @Column({ name: 'decided_at', type: 'bigint', nullable: true, transformer: epochMs })
  decidedAt!: number | null;

  @Column({ name: 'decided_by', type: 'varchar', nullable: true })
  decidedBy!: string | null;

  @Column({ name: 'note', type: 'text', nullable: true })
  note!: string | null;

  @Column({ name: 'result', type: 'text', nullable: true })
  result!: string | null;

  @Column({ name: 'signature', type: 'varchar', nullable: true })
  signature!: string | null;

  @Column({ name: 'signer', type: 'varchar', nullable: true })
  signer!: string | null;
}
