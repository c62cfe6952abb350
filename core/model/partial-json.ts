import { InvalidJsonError } from '../errors.js';
import { canonicalJson, MAX_DEPTH, propertyPath } from './canonical-json.js';
import { isPlainObject, type Json } from './json.js';
import type { Problem } from './step.js';

/** The part of a value that is JSON, and where and why the rest is not (F17). */
export interface PartialJson {
  readonly partial: Json;
  readonly omitted: readonly Problem[];
}

const MAX_OMITTED = 100;

/** Keeps what can be kept: a member that is not JSON is left out, an item of an array becomes null; each is listed. */
export function partialJson(value: unknown, root: string): PartialJson {
  const omitted: Problem[] = [];
  const partial = keep(value, root, [], omitted) ?? null;
  return { partial, omitted: omitted.slice(0, MAX_OMITTED) };
}

function keep(value: unknown, path: string, above: object[], omitted: Problem[]): Json | undefined {
  const inner =
    typeof value === 'object' && value !== null && (Array.isArray(value) || isPlainObject(value)) ? value : null;
  if (!inner || above.includes(inner) || above.length >= MAX_DEPTH) return leaf(value, path, above, omitted);
  above.push(inner);
  const kept = Array.isArray(inner)
    ? Array.from(inner, (item, index) => keep(item, `${path}[${index}]`, above, omitted) ?? null)
    : keepMembers(inner, path, above, omitted);
  above.pop();
  return kept;
}

function keepMembers(value: Record<string, unknown>, path: string, above: object[], omitted: Problem[]): Json {
  const kept: [string, Json][] = [];
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (!property.enumerable || ('value' in property && property.value === undefined)) continue;
    const at = propertyPath(path, key);
    if (leaf(key, at, above, omitted) === undefined) continue;
    if (key === '__proto__' || !('value' in property)) {
      omitted.push({
        path: at,
        message: key === '__proto__' ? 'the key __proto__ is refused' : 'an accessor is not JSON',
      });
      continue;
    }
    const member = keep(property.value, at, above, omitted);
    if (member !== undefined) kept.push([key, member]);
  }
  return Object.fromEntries(kept);
}

function leaf(value: unknown, path: string, above: readonly object[], omitted: Problem[]): Json | undefined {
  try {
    if (value === undefined) throw new InvalidJsonError(path, 'undefined is not JSON');
    if (above.includes(value as object)) throw new InvalidJsonError(path, 'a cycle is not JSON');
    return JSON.parse(canonicalJson(value, path)) as Json;
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    omitted.push({ path, message: error.found });
    return undefined;
  }
}
