/** Why an outcome is not known: its process died, its time ran out, or the tool said so. */
export type InterruptionCause = 'crash' | 'timeout' | 'unknown';
