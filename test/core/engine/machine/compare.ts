import assert from 'node:assert/strict';
import type { Model } from './model/model.js';
import type { Stop } from './model/runner.js';
import { assertInvariants } from './invariants.js';
import type { Standstill } from './real/process.js';
import { readable, snapshotOf, type Real } from './real/real.js';

/** Compares the whole record with the model's, and checks what must hold in any record. */
export async function compare(model: Model, real: Real): Promise<void> {
  const stored = await real.stored();
  assert.deepEqual(snapshotOf(stored, real.outside.calls), model.snapshot());
  assertInvariants(stored, real.outside.calls, real.told());
  const verification = await real.client.verify({ runId: stored.run.id, head: stored.run.headHash });
  assert.deepEqual(verification, { ok: true, runs: 1, events: stored.events.length, fault: null });
}

/** Compares where a loop stands. */
export async function compareStop(expected: Stop, actual: Standstill, real: Real): Promise<void> {
  if (expected.kind === 'died') return;
  const stored = await real.stored();
  const inWords: Standstill =
    'asks' in actual ? { asks: { ...actual.asks, shows: readable(stored, actual.asks.shows) } } : actual;
  assert.deepEqual(inWords, expected.kind === 'asks' ? { asks: expected.ask } : { ended: expected.end });
}
