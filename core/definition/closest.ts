/**
 * The name that was probably meant: the closest of the known ones, if it is close at all.
 *
 * Case and punctuation do not count, so that `amount_cents` finds `amountCents`; nor does a part left out, as in `amount`.
 */
export function closest(name: string, known: Iterable<string>): string | null {
  const wanted = plain(name);
  let best: string | null = null;
  let least = Math.floor(wanted.length / 3) + 1;
  for (const candidate of known) {
    const edits = editsBetween(wanted, plain(candidate));
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

/** `; did you mean x?`, or nothing. */
export function suggestion(name: string, known: Iterable<string>): string {
  const meant = closest(name, known);
  return meant === null ? '' : `; did you mean ${meant}?`;
}

/** Names are short: what is longer than any of ours is cut, so that the table below stays small. */
function plain(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

function editsBetween(one: string, other: string): number {
  if (one === other) return 0;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= 3 && long.startsWith(short) ? 1 : distance(one, other);
}

/** Levenshtein distance, row by row. */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced));
    }
    above = current;
  }
  return above[other.length] ?? 0;
}
