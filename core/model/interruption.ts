export const INTERRUPTION_CAUSES = ['crash', 'timeout', 'unknown'] as const;

/** Why an outcome is not known: its process died, its time ran out, or the tool said so. */
export type InterruptionCause = (typeof INTERRUPTION_CAUSES)[number];
