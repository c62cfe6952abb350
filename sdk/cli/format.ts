import type { Json } from '../../core/model/json.js';
import { isPlainObject } from '../../core/model/json.js';
import type { Fact } from './terminal.js';

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];
const RELATIVE = new Intl.RelativeTimeFormat('en', { style: 'long', numeric: 'always' });
const LAST_DATE = 8.64e15;

/** A text of more characters than this is shown by its head and its tail. */
const LONG = 400;
const HEAD = 240;
const TAIL = 120;

/** `3 minutes ago`, `in 2 hours`, `now`. */
export function relative(at: number, now: number): string {
  const unit = UNITS.find(([, ms]) => Math.abs(at - now) >= ms);
  return unit ? RELATIVE.format(Math.trunc((at - now) / unit[1]), unit[0]) : 'now';
}

/** Whether a date has this time; what a damaged row holds need not be one. */
export function isDate(at: unknown): at is number {
  return typeof at === 'number' && Math.abs(at) <= LAST_DATE;
}

/** `2026-11-30 04:21:07Z`; what is no time is shown as it is. */
export function absolute(at: unknown): string {
  if (!isDate(at)) return plain(at);
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

/** Both; `-` if there is none. */
export function time(at: number | null, now: number): string {
  if (!isDate(at)) return plain(at);
  return `${relative(at, now)} (${absolute(at)})`;
}

/** `1 field`, `2 fields`, `5,242,880 characters` */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** What is said of a row that is too long to be shown. */
export function tooLongOf(bytes: number): string {
  return `too long to be shown in full: ${count(bytes, 'byte')}`;
}

/** A short text; `-` if there is none. What a damaged row holds need not be text. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'number') return String(value);
  return abbreviated(typeof value === 'string' ? value : JSON.stringify(value));
}

/** At most `max` characters of a text. */
export function short(value: unknown, max: number): string {
  const text = plain(value).replace(/\s+/g, ' ');
  const characters = Array.from(text.slice(0, 4 * max));
  return characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`;
}

/** A long text by its head and its tail, with its length. */
export function abbreviated(text: string): string {
  if (text.length <= LONG) return text;
  const head = text.slice(0, HEAD).replace(/[\uD800-\uDBFF]$/, '');
  const tail = text.slice(-TAIL).replace(/^[\uDC00-\uDFFF]/, '');
  return `${head} … ${tail} (${count(text.length, 'character')})`;
}

/** Which fields of a value are shown. */
export interface Shown {
  readonly facts: readonly Fact[];
  /** Fields beyond those that are shown. */
  readonly hidden: number;
  /** Fields of which head and tail are shown. */
  readonly shortened: number;
}

/** The fields of a value, one a line: at most `max`, long ones by head and tail; all of it where it is asked for in full. */
export function fieldsOf(value: Json, max: number, full: boolean): Shown {
  const facts: Fact[] = [];
  let hidden = 0;
  let shortened = 0;
  for (const [path, leaf] of leaves(value, '')) {
    const literal = JSON.stringify(leaf);
    if (!full && facts.length >= max) hidden += 1;
    else facts.push([abbreviated(path), full ? literal : abbreviated(literal)]);
    if (!full && facts.length <= max && literal.length > LONG) shortened += 1;
  }
  return { facts, hidden, shortened };
}

/** Everything in a value that holds nothing more, with its path. */
function* leaves(value: Json, path: string): Generator<readonly [path: string, leaf: Json]> {
  const below: [string, Json][] = isPlainObject(value)
    ? Object.entries(value as Readonly<Record<string, Json>>).map(([key, member]) => [join(path, key), member])
    : Array.isArray(value)
      ? (value as readonly Json[]).map((item, at) => [`${path}[${at}]`, item])
      : [];
  if (below.length === 0) yield [path, value];
  else for (const [name, member] of below) yield* leaves(member, name);
}

function join(path: string, key: string): string {
  const name = /^[\p{L}\p{N}_$-]+$/u.test(key) ? key : JSON.stringify(key);
  return path === '' ? name : `${path}.${name}`;
}
