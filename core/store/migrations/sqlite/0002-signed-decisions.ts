import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `ALTER TABLE "holdpoint_approvals" ADD COLUMN "signature" varchar`,
  `ALTER TABLE "holdpoint_approvals" ADD COLUMN "signer" varchar`,
];

/** A decision keeps its signature and the fingerprint of the key; those made before have none (contract A7). */
export class SignedDecisions1795996800000 implements MigrationInterface {
  readonly name = 'SignedDecisions1795996800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    throw new Error('migrations go forward only; restore a backup instead');
  }
}
