import { sha256 } from '../hash.js';
import { recordable } from '../text.js';

/** A row as it is stored, by the names of its columns. Whoever can write to the store may have put anything there. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** What a column must hold. `undefined`: the events do not say. */
export type Expected = null | number | string | Digest | Either | undefined;

/** A text that is known by its hash: too long to be kept, or not to be shown. */
export interface Digest {
  readonly sha256: string;
  /** Its beginning, if it may be shown. */
  readonly shown?: string;
}

/** The events leave more than one possibility. */
export interface Either {
  readonly either: readonly (null | number | string)[];
}

/** A column that does not hold what it must. */
export interface Misplaced {
  readonly field: string;
  readonly expected: string;
  readonly found: string;
}

/** The most that is shown of a text. */
const MAX_SHOWN = 200;

/** Columns that carry what agents, tools, policies and persons said: of these only the hash is shown. */
const UNSHOWN: readonly string[] = [
  'args',
  'decision',
  'observation',
  'payload',
  'policy',
  'presentation',
  'raw_decision',
  'request',
  'result',
  'spec',
];

/** A text that must stand there as it is. */
export function text(value: string | null): Expected {
  return value === null || value.length <= MAX_SHOWN ? value : { sha256: sha256(value), shown: cut(value) };
}

/** A text that must stand there, and is not shown. */
export function unshown(value: string | null): Expected {
  return value === null ? null : digest(sha256(value));
}

/** The text of this hash. */
export function digest(hash: string): Digest {
  return { sha256: hash };
}

/** The first column that does not hold what it must. */
export function firstMisplaced(row: StoredRow, expected: Readonly<Record<string, Expected>>): Misplaced | null {
  for (const [field, value] of Object.entries(expected)) {
    const found = row[field] ?? null;
    if (!fits(value, found)) return { field, expected: shownExpected(value), found: shown(field, found) };
  }
  return null;
}

/** A stored value in few words: what carries payload by its hash, and a long text cut. */
export function shown(field: string, value: unknown): string {
  if (typeof value === 'string') return UNSHOWN.includes(field) ? byHash(sha256(value)) : cut(value);
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return UNSHOWN.includes(field) ? 'a number' : String(value);
  return value instanceof Uint8Array ? `${value.length} bytes that are not text` : 'neither text nor a number';
}

/** The beginning of a text that may be long. */
export function cut(value: string): string {
  return recordable(value.length <= MAX_SHOWN ? value : `${value.slice(0, MAX_SHOWN)}…`);
}

function fits(expected: Expected, found: unknown): boolean {
  if (expected === undefined) return true;
  if (typeof expected !== 'object' || expected === null) return found === expected;
  if ('either' in expected) return expected.either.some((value) => value === found);
  return typeof found === 'string' && sha256(found) === expected.sha256;
}

function shownExpected(expected: Expected): string {
  if (typeof expected !== 'object' || expected === null) return String(expected);
  return 'either' in expected ? expected.either.map(String).join(' or ') : (expected.shown ?? byHash(expected.sha256));
}

function byHash(hash: string): string {
  return `SHA-256 ${hash}`;
}
