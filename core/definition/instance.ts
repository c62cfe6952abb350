import { isPlainObject, type Json, type JsonObject } from '../model/json.js';
import type { Problem } from '../model/step.js';
import { enumOf } from './constraints.js';
import { unknownProperty } from './screen.js';
import { isConditional, nameOf, standsAlone, type ClassShape, type Held, type PropertyShape } from './shape.js';
import { memberPath } from './paths.js';

/**
 * Between an instance of an input class and the plain data that stands for it.
 *
 * Only what can be rebuilt may be taken apart: a `Date` or an instance of a class stands where `@Type` declares it and
 * nowhere else. So `rebuilt` makes of `plainOf(x)` an instance like `x`, without running a `@Transform` again.
 */

/** An instance's own data. What could not be rebuilt is added to `problems`; what is not JSON at all is left as it is. */
export function plainOf(
  instance: object,
  shape: ClassShape,
  path: string,
  problems: Problem[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(instance).map(([name, value]: [string, unknown]) => {
      const property = shape.properties.get(name);
      return [name, property ? plainProperty(value, property, memberPath(path, name), problems) : value];
    }),
  );
}

function plainProperty(value: unknown, property: PropertyShape, path: string, problems: Problem[]): unknown {
  if (value === undefined) return value;
  const wrong = value === null ? nullMisfit(property) : misfit(value, property);
  if (wrong !== null) problems.push({ path, message: wrong });
  if (value === null) return value;
  if (!Array.isArray(value)) return plainItem(value, property.holds, path, problems);
  return value.map((item: unknown, index) => {
    const at = `${path}[${index}]`;
    const plain = plainItem(item, property.holds, at, problems);
    if (property.list && isListForOne(item, property)) problems.push({ path: at, message: notAnArray(property) });
    return plain;
  });
}

function isListForOne(value: unknown, property: PropertyShape): boolean {
  return Array.isArray(value) && standsAlone(property);
}

function notAnArray({ holds }: PropertyShape): string {
  return `must be one ${holds.kind}, not an array`;
}

/** What class-validator lets pass, and the property's type would not. */
function misfit(value: unknown, property: PropertyShape): string | null {
  const { list } = property;
  if (list && !Array.isArray(value)) return 'must be an array';
  if (!list && isListForOne(value, property)) return notAnArray(property);
  return isMember(value, property) ? null : 'must be a value of the enum, not its name';
}

/** Validators of items say nothing of a list that is null, and those that list null among the items let it pass. */
function nullMisfit({ list, validators }: PropertyShape): string | null {
  const mayBeNull = validators.some((validator) => validator.name === 'isOptional' || isConditional(validator));
  return list && !mayBeNull ? 'must be an array' : null;
}

/** class-validator takes the names of a numeric enum for its values; a tool that is typed by the enum would not. */
function isMember(value: unknown, { validators }: PropertyShape): boolean {
  if (validators.some(isConditional)) return true;
  return validators.every((validator) => {
    const { each, validateIf } = validator;
    const members = enumOf(validator);
    if (!members || validateIf) return true;
    return (each && Array.isArray(value) ? (value as unknown[]) : [value]).every((item) => members.includes(item));
  });
}

function plainItem(value: unknown, holds: Held, path: string, problems: Problem[]): unknown {
  if (value === null || value === undefined) return value;
  if (value instanceof Promise) return refusePromise(value, path, problems);
  if (holds.kind === 'date') {
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
    problems.push({ path, message: 'must be a date' });
  } else if (holds.kind === 'object') {
    const { cls } = holds.shape;
    if (Object.getPrototypeOf(value) === cls.prototype) return plainOf(value, holds.shape, path, problems);
    problems.push({ path, message: `must be an object (${nameOf(cls)})` });
  }
  return value;
}

/** Nobody awaits it: were it to reject, the process would end. */
function refusePromise(value: Promise<unknown>, path: string, problems: Problem[]): null {
  value.catch(() => undefined);
  problems.push({ path, message: 'became a promise; a @Transform must return its value at once' });
  return null;
}

/** A fresh instance that has exactly the given data: a default that the data lack is not filled in. */
export function rebuilt(plain: JsonObject, shape: ClassShape, path: string, problems: Problem[]): object {
  const instance = new shape.cls();
  for (const name of Object.keys(instance)) Reflect.deleteProperty(instance, name);
  for (const [name, value] of Object.entries(plain)) {
    const at = memberPath(path, name);
    const property = shape.properties.get(name);
    if (property) Reflect.set(instance, name, rebuiltItem(value, property.holds, at, problems));
    else problems.push(unknownProperty(name, shape, at));
  }
  return instance;
}

function rebuiltItem(value: Json, holds: Held, path: string, problems: Problem[]): unknown {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return items.map((item, index) => rebuiltItem(item, holds, `${path}[${index}]`, problems));
  }
  if (holds.kind === 'date' && typeof value === 'string') return new Date(value);
  if (holds.kind === 'object' && isPlainObject(value)) return rebuilt(value, holds.shape, path, problems);
  return value;
}
