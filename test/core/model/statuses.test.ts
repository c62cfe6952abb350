import { expect } from 'chai';
import { APPROVAL_MOVES } from '../../../core/model/approval.js';
import { canMoveRun, isTerminal, RUN_MOVES, RUN_STATUSES, type RunStatus } from '../../../core/model/run.js';
import {
  canMoveStep,
  isOpen,
  STEP_MOVES,
  STEP_STATUSES,
  type Step,
  type StepStatus,
} from '../../../core/model/step.js';

type Moves = Readonly<Record<string, readonly string[]>>;

const TABLES: readonly { name: string; moves: Moves; start: string; final: readonly string[] }[] = [
  { name: 'a run', moves: RUN_MOVES, start: 'PENDING', final: ['COMPLETED', 'FAILED', 'CANCELLED'] },
  { name: 'a step', moves: STEP_MOVES, start: 'deciding', final: ['done', 'failed'] },
  {
    name: 'an approval',
    moves: APPROVAL_MOVES,
    start: 'pending',
    final: ['rejected', 'settled', 'expired', 'spent', 'cancelled'],
  },
];

/** The statuses that can be reached from one, itself included. */
function reachable(moves: Moves, from: string): string[] {
  const seen = new Set([from]);
  for (const status of seen) for (const next of moves[status] ?? []) seen.add(next);
  return [...seen];
}

for (const { name, moves, start, final } of TABLES) {
  describe(`the statuses of ${name}`, () => {
    it('S5: no move leaves one that is final, and every other can be left', () => {
      const without = Object.keys(moves).filter((status) => moves[status]?.length === 0);
      expect(without).to.have.members(final);
    });

    it('S5: each is reached from the first, by moves of the table alone', () => {
      expect(reachable(moves, start)).to.have.members(Object.keys(moves));
    });

    it('S5: an end is reached from each', () => {
      for (const status of Object.keys(moves)) {
        expect(
          reachable(moves, status).some((reached) => final.includes(reached)),
          status,
        ).to.be.true;
      }
    });

    it('S5: none is listed twice, or as a move to itself', () => {
      for (const [status, targets] of Object.entries(moves)) {
        expect([...new Set(targets)]).to.deep.equal(targets);
        expect(targets).not.to.include(status);
      }
    });
  });
}

describe('moves', () => {
  it('S5: of a run and a step are those of the tables, and staying put where there is one', () => {
    for (const from of RUN_STATUSES) {
      const allowed = RUN_STATUSES.filter((to) => canMoveRun(from, to));
      expect(allowed).to.have.members([...RUN_MOVES[from], ...(isTerminal(from) ? [] : [from])]);
    }
    for (const from of STEP_STATUSES) {
      const allowed = STEP_STATUSES.filter((to) => canMoveStep(from, to));
      expect(allowed).to.have.members([...STEP_MOVES[from], ...(STEP_MOVES[from].length > 0 ? [from] : [])]);
    }
  });

  it('S9: a status that this version does not know can only be closed', () => {
    const strange = 'ARCHIVED' as RunStatus;
    expect(isTerminal(strange)).to.be.false;
    expect(RUN_STATUSES.filter((to) => canMoveRun(strange, to))).to.deep.equal(['CANCELLED']);
    const stranger = 'pondering' as StepStatus;
    expect(STEP_STATUSES.filter((to) => canMoveStep(stranger, to))).to.deep.equal(['interrupted']);
  });

  it('I4: a step is open until it is final, or interrupted and settled', () => {
    const step = (status: StepStatus, observation: Step['observation']): Step => ({ status, observation }) as Step;
    const settled: Step['observation'] = { kind: 'interrupted', cause: 'crash', message: '' };
    expect(STEP_STATUSES.filter((status) => isOpen(step(status, null)))).to.deep.equal([
      'deciding',
      'awaiting_approval',
      'executing',
      'interrupted',
    ]);
    expect(STEP_STATUSES.filter((status) => isOpen(step(status, settled)))).to.deep.equal([]);
  });
});
