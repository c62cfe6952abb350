/** What the processes of this program tell each other. */

export type FromApplication =
  | { readonly kind: 'listening'; readonly url: string }
  /** A change is applied, and its client will get no answer. */
  | { readonly kind: 'silent' };

/** `silence` holds back the answer to the next change: the moment in which the agent is killed. */
export type ToApplication = 'silence';
