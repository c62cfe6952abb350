import { count } from './format.js';
import type { Terminal } from './terminal.js';

/** A page of a list, and the cursor of the one after it; null if there is none. */
export interface ListedPage<T> {
  readonly entries: readonly T[];
  readonly next: number | null;
}

/** The longest page that a client reads. */
const MOST = 1_000;

/** Reads one entry more than is asked for: only then is it known whether there is another page. */
export async function pageOf<T extends { readonly seq: number }>(
  { after, limit }: { readonly after: number | undefined; readonly limit: number },
  read: (page: { readonly limit: number; readonly after?: number }) => Promise<readonly T[]>,
): Promise<ListedPage<T>> {
  const asked = limit >= 1 && limit < MOST ? limit + 1 : limit;
  const found = await read({ limit: asked, ...(after === undefined ? {} : { after }) });
  const entries = found.slice(0, limit);
  const more = asked > limit ? found.length > limit : found.length === limit;
  return { entries, next: more ? (entries.at(-1)?.seq ?? null) : null };
}

/** Says how to go on, where there is another page. */
export function tellNext(terminal: Terminal, { entries, next }: ListedPage<unknown>, noun: string): void {
  if (next !== null) terminal.line(`${count(entries.length, noun)}; the next page: --after ${next}`);
}
