/** The first thing of a record that does not fit. */
export interface ChainFault {
  readonly runId: string;
  /** Which row: `event 12`, `run`, `step 3`, `approval <id>` or `spec <hash>`; or `file`, for an export that was cut. */
  readonly where: string;
  /** The column of that row, if it is one column that does not fit. */
  readonly field: string | null;
  /** Place in the run of the event that does not fit, or that is missing; null if it is another row that does not. */
  readonly index: number | null;
  readonly message: string;
  /** Values that carry what agents, tools and persons said are shown by their SHA-256, and long ones are cut. */
  readonly expected: string;
  readonly found: string;
}

/** What a fault says besides the run and the row. */
export type Said = Pick<ChainFault, 'message' | 'expected' | 'found'> & { readonly field?: string };

/** A fault of an event, or of its place. */
export function eventFault(runId: string, index: number, { message, expected, found, field = '' }: Said): ChainFault {
  return { runId, where: `event ${index}`, field: field || null, index, message, expected, found };
}

/** A fault of another row. */
export function rowFault(runId: string, where: string, { message, expected, found, field = '' }: Said): ChainFault {
  return { runId, where, field: field || null, index: null, message, expected, found };
}
