import { systemClock, type Clock } from '../core/clock.js';
import { InvalidArgumentError } from '../core/errors.js';
import { DEFAULT_LIMITS, type Limits } from '../core/model/limits.js';
import type { BoundedPage } from '../core/store/bounded-reads.js';

/**
 * Checks of what users pass in: each says which argument is wrong and what it must be, and nothing was changed.
 */

const ID = /^[A-Za-z0-9._:-]{1,128}$/;
const HASH = /^[0-9a-f]{64}$/;
const MAX_TEXT = 1_000;
/** The longest page of a list. */
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;

/** An object with no members but the known ones; a misspelt one is named. */
export function members(value: unknown, name: string, known: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidArgumentError(`${name} must be an object with ${known.join(', ')}`);
  }
  const strange = Object.keys(value).find((key) => !known.includes(key));
  if (strange === undefined) return value as Record<string, unknown>;
  throw new InvalidArgumentError(`${name}.${strange} is not known; ${name} takes ${known.join(', ')}`);
}

/** An id: of a run, as a user may choose it, or of anything that has one. */
export function id(value: unknown, name: string): string {
  if (typeof value === 'string' && ID.test(value)) return value;
  throw new InvalidArgumentError(`${name} must be 1 to 128 of A-Z a-z 0-9 . _ : -`);
}

/** A short text of a person or a program. */
export function text(value: unknown, name: string): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT && !/\p{Surrogate}/u.test(value)) {
    return value;
  }
  throw new InvalidArgumentError(`${name} must be a text of 1 to ${MAX_TEXT} characters`);
}

export function optionalText(value: unknown, name: string): string | null {
  return value === undefined || value === null ? null : text(value, name);
}

/** What a run is for; it may be long. */
export function goal(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && !/\p{Surrogate}/u.test(value)) return value;
  throw new InvalidArgumentError('goal must be a text that is not empty');
}

/** A SHA-256. @param of what it is the hash of */
export function hash(value: unknown, name: string, of: string): string {
  if (typeof value === 'string' && HASH.test(value)) return value;
  throw new InvalidArgumentError(`${name} must be the 64 hex digits of ${of}`);
}

/** The machine's clock, or a test's. */
export function clock(value: unknown): Clock {
  if (value === undefined) return systemClock;
  const { now, monotonic } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Clock>;
  if (typeof now === 'function' && typeof monotonic === 'function') return value as Clock;
  throw new InvalidArgumentError('clock must be an object with now() and monotonic()');
}

export function integer(value: unknown, name: string, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`${name} must be a whole number from ${min} to ${max}`);
}

/** A duration in milliseconds, or null for none. */
export function optionalMs(value: unknown, name: string): number | null {
  return value === undefined || value === null ? null : integer(value, name, 1, Number.MAX_SAFE_INTEGER);
}

/** One of a few words; undefined if it was not given. */
export function oneOf<T extends string>(value: unknown, name: string, known: readonly T[]): T | undefined {
  if (value === undefined || (known as readonly unknown[]).includes(value)) return value as T | undefined;
  throw new InvalidArgumentError(`${name} must be one of ${known.join(', ')}`);
}

/** Limits over their defaults; null takes one away (contract P5). */
export function limits(value: unknown, defaults: Limits = DEFAULT_LIMITS): Limits {
  if (value === undefined) return defaults;
  const given = members(value, 'limits', Object.keys(DEFAULT_LIMITS));
  const checked = Object.entries(given).filter(([, max]) => max !== undefined);
  for (const [key, max] of checked) {
    // One call repeats nothing yet.
    if (max !== null) integer(max, `limits.${key}`, key === 'maxRepeats' ? 2 : 1, Number.MAX_SAFE_INTEGER);
  }
  return { ...defaults, ...Object.fromEntries(checked) };
}

/** Which page of a list. */
export function page({ after, limit, newestFirst }: Record<string, unknown>): BoundedPage {
  if (newestFirst !== undefined && typeof newestFirst !== 'boolean') {
    throw new InvalidArgumentError('newestFirst must be true or false');
  }
  return {
    limit: limit === undefined ? DEFAULT_LIMIT : integer(limit, 'limit', 1, MAX_LIMIT),
    ...(newestFirst === undefined ? {} : { newestFirst }),
    ...(after === undefined ? {} : { after: integer(after, 'after', 0, Number.MAX_SAFE_INTEGER) }),
  };
}

/** What ends a waiting; undefined if nothing does. */
export function signal(value: unknown): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value;
  throw new InvalidArgumentError('signal must be an AbortSignal');
}
