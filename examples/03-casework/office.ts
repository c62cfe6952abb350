import { setTimeout as delay } from 'node:timers/promises';
import { RunLeasedError, Runtime, type Run } from 'holdpoint';
import { CaseworkAgent } from './casework-agent.js';
import { caseworkPolicy } from './casework-policy.js';
import { provideWith } from './provide.js';
import { RemoteAccounts } from './remote-accounts.js';

/** Short, so that nobody need wait long for a dead owner; the default of 30 s is better where nobody watches. */
const LEASE_MS = 1_500;

/** Where the runs are kept, and where the application is. */
export interface Places {
  readonly store: string;
  readonly url: string;
}

/** @param grantTtlMs how old a grant may be when the run is resumed; what was true when the person looked grows old */
export function openOffice({ store, url }: Places, owner: string, grantTtlMs = 15 * 60_000): Promise<Runtime> {
  return Runtime.open({
    store,
    agents: [CaseworkAgent],
    provide: provideWith(new RemoteAccounts(url)),
    policy: caseworkPolicy,
    lease: { ttlMs: LEASE_MS, owner },
    grantTtlMs,
  });
}

/** Resumes the run; while another process holds it, waits for its lease to end, or for it to be renewed. */
export async function resumeWhenFree(runtime: Runtime, id: string): Promise<Run> {
  for (;;) {
    try {
      return await runtime.resume(id);
    } catch (error) {
      if (!(error instanceof RunLeasedError)) throw error;
      await delay(error.expiresAt.getTime() - Date.now() + 1);
    }
  }
}
