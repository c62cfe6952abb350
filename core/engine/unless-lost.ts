import type { Hold } from '../lease/heartbeat.js';

/** What a user's code returned or threw. */
export type Came<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly thrown: unknown };

/**
 * Asks a user's code: an agent, a policy, a reconciliation, a validator, a `provide`. Under a lease that is gone or has
 * lapsed nothing is asked, and once it is lost nothing is waited for that has not answered (contract L4, L5).
 *
 * @param hold null while the run is not held: whoever asks then only looks
 * @throws LeaseLostError; what the user's code throws is returned
 */
export async function unlessLost<T>(hold: Hold | null, ask: () => T | Promise<T>): Promise<Came<T>> {
  if (!hold) return cameOf(ask);
  hold.assertLive();
  const over = new AbortController();
  const lost = new Promise<never>((_, reject) => {
    const give = (): void => {
      reject(hold.signal.reason as Error);
    };
    hold.signal.addEventListener('abort', give, { signal: over.signal });
  });
  try {
    return await Promise.race([lost, cameOf(ask)]);
  } finally {
    over.abort();
  }
}

async function cameOf<T>(ask: () => T | Promise<T>): Promise<Came<T>> {
  try {
    return { ok: true, value: await ask() };
  } catch (thrown) {
    return { ok: false, thrown };
  }
}
