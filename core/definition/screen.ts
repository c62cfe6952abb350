import { isISO8601 } from 'class-validator';
import { isPlainObject, type Json, type JsonObject } from '../model/json.js';
import type { Problem } from '../model/step.js';
import { suggestion } from './closest.js';
import type { ClassShape, Held } from './shape.js';
import { memberPath } from './paths.js';

/**
 * The check of raw JSON before class-transformer sees it.
 *
 * It refuses what class-transformer would drop in silence (a member named like a method, `constructor`), and what `@Type`
 * would convert in silence (`''` to 0, `'false'` to true, 30 February to 2 March): a value has its type already.
 */

const DATE_OR_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}.*(Z|[+-]\d{2}:\d{2}))?$/;

/** A copy without what is refused. Each refusal is added to `problems`. */
export function screened(value: JsonObject, shape: ClassShape, path: string, problems: Problem[]): JsonObject {
  const kept: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const at = memberPath(path, name);
    const property = shape.properties.get(name);
    if (!property) problems.push(unknownProperty(name, shape, at));
    const held = property && screenedItem(member, property.holds, at, problems);
    if (held !== undefined) kept.push([name, held]);
  }
  return Object.fromEntries(kept);
}

export function unknownProperty(name: string, shape: ClassShape, path: string): Problem {
  return { path, message: `is not a known property${suggestion(name, shape.properties.keys())}` };
}

function screenedItem(value: Json, holds: Held, path: string, problems: Problem[]): Json | undefined {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return items.map((item, index) => screenedItem(item, holds, `${path}[${index}]`, problems) ?? null);
  }
  if (holds.kind === 'object') return isPlainObject(value) ? screened(value, holds.shape, path, problems) : value;
  if (holds.kind === 'json') return screenedJson(value, path, problems);
  if (value === null || hasType(value, holds.kind)) return value;
  problems.push({ path, message: holds.kind === 'date' ? NOT_A_DATE : `must be a ${holds.kind}` });
  return undefined;
}

const NOT_A_DATE = 'must be a date, or a date and time with its zone, as in "2026-01-31" or "2026-01-31T09:30:00Z"';

function hasType(value: Json, kind: 'string' | 'number' | 'boolean' | 'date'): boolean {
  return kind === 'date' ? typeof value === 'string' && isDateText(value) : typeof value === kind;
}

function isDateText(text: string): boolean {
  return DATE_OR_TIME.test(text) && isISO8601(text, { strict: true }) && !Number.isNaN(Date.parse(text));
}

/** JSON of no declared class. An object's members are safe from class-transformer unless they are named like its methods. */
function screenedJson(value: Json, path: string, problems: Problem[]): Json {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return items.map((item, index) => screenedJson(item, `${path}[${index}]`, problems));
  }
  if (!isPlainObject(value)) return value;
  const kept: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const at = memberPath(path, name);
    if (name in Object.prototype) problems.push({ path: at, message: 'is a reserved name; use another' });
    else kept.push([name, screenedJson(member, at, problems)]);
  }
  return Object.fromEntries(kept);
}
