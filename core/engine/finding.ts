/** One thing that was looked at. */
export interface Finding {
  /** `ok`, `note` for what only waits for somebody, `problem` for what is wrong. */
  readonly level: 'ok' | 'note' | 'problem';
  readonly about: string;
  readonly message: string;
  /** What to do about it; null if nothing is. */
  readonly advice: string | null;
  /** The runs or approvals it is about, at most ten of them. */
  readonly ids: readonly string[];
}

/** What is wrong with a run or an approval that a list has, and that is not what is read by the id it has there. */
export const NOT_READ = 'its id is not one that it can be read by';

const NAMED = 10;

/** Runs or approvals that have something in common. */
export class Group {
  count = 0;
  readonly ids: string[] = [];

  add(id: string): void {
    this.count += 1;
    if (this.ids.length < NAMED) this.ids.push(id);
  }
}

/** What a group comes to; `ok` if nothing is in it. */
export function found(
  { count, ids }: Group,
  level: Finding['level'],
  about: string,
  noun: string,
  state: string,
  advice: string | null,
): Finding {
  if (count === 0) return { level: 'ok', about, message: 'none', advice: null, ids: [] };
  return { level, about, message: `${count} ${noun}${count === 1 ? '' : 's'} ${state}`, advice, ids };
}
