import { STORED_DEPTH } from './canonical-json.js';
import { isPlainObject, type Json, type JsonObject } from './json.js';

/** A record as it is read to be shown: long texts in it are cut, each with a mark. */
export type Bounded<T> = T & {
  /** The members of which something was cut, e.g. `['result']`; absent if the record is whole. */
  readonly cut?: readonly string[];
  /**
   * How many bytes the row has, if they are too many for it to be read here: `cut` names what is not shown, and whether
   * it decodes is not known. Whoever acts on it reads all of it.
   */
  readonly tooLong?: number;
};

/** What a member of an array or an object takes at least, so that very many small ones are bounded too. */
const ITEM = 16;

/** The record with no member longer than `max` characters, as text or as JSON. */
export function bounded<T extends object>(record: T, max: number): Bounded<T> {
  const cut: string[] = [];
  const members = Object.entries(record).map(([name, value]: [string, Json]) => {
    const within = cutJson(value, max);
    if (within !== value) cut.push(name);
    return [name, within];
  });
  return { ...(Object.fromEntries(members) as T), ...(cut.length > 0 ? { cut } : {}) };
}

/**
 * A text of at most about `max` characters: its head, and a mark that says how much there was. A text that is short
 * enough is returned as it is.
 */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${headOf(text, max)}… [cut: ${text.length} characters]`;
}

/** The first characters of a text, `max` of them unless that would halve the last. */
export function headOf(text: string, max: number): string {
  const head = text.slice(0, Math.max(0, Math.floor(max)));
  return /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head;
}

/**
 * A value whose JSON is at most about `max` characters; the very same value if it is short enough.
 *
 * What is small is kept whole: only the longest members are cut, evenly, so that one huge argument does not hide the
 * others.
 */
export function cutJson(value: Json, max: number): Json {
  return new Cutter(max).cut(value, max, 0);
}

/** Cuts one value. It never descends deeper than a value may be nested: a row that somebody edited may hold anything. */
class Cutter {
  readonly #sizes = new Map<object, number>();

  /** @param enough beyond this, it makes no difference how large a value is: no more of it is looked at */
  constructor(private readonly enough: number) {}

  cut(value: Json, max: number, depth: number): Json {
    if (typeof value === 'string') return cutText(value, max);
    // A column may hold bytes: somebody wrote them there.
    if ((value as unknown) instanceof Uint8Array)
      return `[${(value as unknown as Uint8Array).length} bytes that are not text]`;
    if (typeof value !== 'object' || value === null || this.#size(value, depth) <= max) return value;
    if (depth > STORED_DEPTH) return '… [cut: nested too deeply]';
    return isPlainObject(value) ? this.#cutObject(value, max, depth) : this.#cutArray(value, max, depth);
  }

  #cutArray(items: readonly Json[], max: number, depth: number): Json {
    const kept = items.slice(0, places(max));
    const share = shareOf(
      kept.map((item) => this.#size(item, depth + 1)),
      max,
    );
    const left = items.length - kept.length;
    return [
      ...kept.map((item) => this.cut(item, share, depth + 1)),
      ...(left === 0 ? [] : [`… [cut: ${left} more of ${items.length} items]`]),
    ];
  }

  #cutObject(value: JsonObject, max: number, depth: number): Json {
    const all = Object.keys(value);
    const kept = all
      .slice(0, places(max))
      .filter((name) => name.length <= max / 2)
      .map((name) => [name, value[name] as Json] as const);
    const share = shareOf(
      kept.map(([name, member]) => name.length + this.#size(member, depth + 1)),
      max,
    );
    const left = all.length - kept.length;
    return Object.fromEntries([
      ...kept.map(([name, member]) => [name, this.cut(member, share, depth + 1)]),
      ...(left === 0 ? [] : [['…', `[cut: ${left} more of ${all.length} members]`]]),
    ]) as Json;
  }

  /** About how many characters its JSON has; infinitely many if it is nested too deeply. */
  #size(value: Json, depth: number): number {
    if (typeof value === 'string') return value.length;
    if (typeof value !== 'object' || value === null) return ITEM;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const size = depth > STORED_DEPTH ? Infinity : this.#sum(value, depth);
    this.#sizes.set(value, size);
    return size;
  }

  #sum(value: JsonObject | readonly Json[], depth: number): number {
    let sum = ITEM;
    for (const [name, member] of isPlainObject(value) ? membersOf(value) : value.entries()) {
      sum += String(name).length + Math.max(ITEM, this.#size(member, depth + 1));
      if (sum > this.enough) return Infinity;
    }
    return sum;
  }
}

/** One after the other: there may be very many. */
function* membersOf(value: JsonObject): Generator<readonly [string, Json]> {
  for (const name of Object.keys(value)) yield [name, value[name] as Json];
}

function places(max: number): number {
  return Math.max(1, Math.floor(max / ITEM));
}

/** How much each may take, so that those that need less leave the rest to those that need more. */
function shareOf(sizes: readonly number[], max: number): number {
  let left = max;
  let takers = sizes.length;
  for (const size of [...sizes].sort((a, b) => a - b)) {
    if (size > left / takers) break;
    left -= size;
    takers -= 1;
  }
  return takers === 0 ? max : left / takers;
}
