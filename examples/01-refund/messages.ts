import type { RunStatus, TerminalReason } from 'holdpoint';

/** What the processes of this demo tell each other. */

export type FromService =
  | { readonly kind: 'listening'; readonly url: string }
  /** A charge is in the ledger, and its client will get no answer. */
  | { readonly kind: 'booked'; readonly reference: string };

export type ToWorker = 'start' | 'resume';

export type FromWorker =
  | { readonly kind: 'ready' }
  /** The run is leased to another process (`RunLeasedError`); the worker tries again once that lease has expired. */
  | { readonly kind: 'refused'; readonly owner: string; readonly expiresAt: string }
  /** The run paused or ended. */
  | { readonly kind: 'stopped'; readonly status: RunStatus; readonly reason: TerminalReason | null };
