import { InvalidJsonError } from '../errors.js';
import { canonicalJson, hasLoneSurrogate, MAX_DEPTH, propertyPath } from './canonical-json.js';
import { isPlainArray, isPlainObject, type Json } from './json.js';
import type { Problem } from './step.js';
import { isInstance } from './text.js';

/** The part of a value that is JSON, and where and why the rest is not (F17). */
export interface PartialJson {
  readonly partial: Json;
  readonly omitted: readonly Problem[];
}

const MAX_OMITTED = 100;

/**
 * Keeps what can be kept: a member that is not JSON is left out, an item of an array becomes null; each is listed, up to
 * a hundred. Nothing is thrown, whatever the value is.
 */
export function partialJson(value: unknown, root: string): PartialJson {
  const walk: Walk = { above: [], omitted: [] };
  const partial = keep(value, root, walk) ?? null;
  return { partial, omitted: walk.omitted };
}

/** The objects around the place where the walk is, outermost first, and what it had to leave out. */
interface Walk {
  readonly above: object[];
  readonly omitted: Problem[];
}

function keep(value: unknown, path: string, walk: Walk): Json | undefined {
  try {
    if (isPlainArray(value) || isPlainObject(value)) return keepInner(value, path, walk);
    if (value === undefined) throw new InvalidJsonError(path, 'undefined is not JSON');
    return JSON.parse(canonicalJson(value, path)) as Json;
  } catch (error) {
    return omit(path, isInstance(error, InvalidJsonError) ? error.found : 'it cannot be read', walk);
  }
}

function keepInner(value: readonly unknown[] | Record<string, unknown>, path: string, walk: Walk): Json {
  const { above } = walk;
  if (above.includes(value)) throw new InvalidJsonError(path, 'a cycle is not JSON');
  if (above.length >= MAX_DEPTH) throw new InvalidJsonError(path, `nested deeper than ${MAX_DEPTH} levels`);
  above.push(value);
  try {
    if (Object.getOwnPropertySymbols(value).length > 0) omit(path, 'a symbol key is not JSON', walk);
    return isPlainArray(value) ? keepItems(value, path, walk) : keepMembers(value, path, walk);
  } finally {
    above.pop();
  }
}

/** A long array with next to nothing in it is left out whole: its holes would be written out one by one. */
function keepItems(value: readonly unknown[], path: string, walk: Walk): Json {
  const keys = Object.keys(value);
  if (value.length - keys.length > MAX_OMITTED) throw new InvalidJsonError(path, 'an array with holes is not JSON');
  if (keys.some((key) => !(Number(key) < value.length))) {
    omit(path, 'an array with properties of its own is not JSON', walk);
  }
  return Array.from({ length: value.length }, (_, index) => {
    return keepProperty(value, String(index), `${path}[${index}]`, walk) ?? null;
  });
}

function keepMembers(value: Record<string, unknown>, path: string, walk: Walk): Json {
  const kept: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    const json = keepProperty(value, key, propertyPath(path, key), walk);
    if (json !== undefined) kept.push([key, json]);
  }
  return Object.fromEntries(kept);
}

function keepProperty(holder: object, key: string, path: string, walk: Walk): Json | undefined {
  if (key === '__proto__') return omit(path, 'the key __proto__ is refused', walk);
  const property = Object.getOwnPropertyDescriptor(holder, key);
  if (property && !('value' in property)) return omit(path, 'an accessor is not JSON', walk);
  const value: unknown = property?.value;
  if (value === undefined && !Array.isArray(holder)) return undefined;
  if (hasLoneSurrogate(key)) return omit(path, 'a key with a lone surrogate has no UTF-8 form', walk);
  return keep(value, path, walk);
}

function omit(path: string, message: string, { omitted }: Walk): Json | undefined {
  if (omitted.length < MAX_OMITTED) omitted.push({ path, message });
  return undefined;
}
