import { MAX_DEPTH } from '../../core/model/canonical-json.js';
import { isPlainObject, type Json, type JsonObject } from '../../core/model/json.js';
import { FORMATS, LONG, MAX_NESTING, objectOf, targetOf } from './samples.js';

/** Arguments, or their JSON text, that must be refused. */
export interface Probe {
  readonly what: string;
  readonly args: unknown;
}

/** A value that its schema does not allow, and where in it the fault is. */
interface Miss {
  /** `lines[0].sku`; empty for the value itself. */
  readonly path: string;
  readonly what: string;
  readonly value: unknown;
}

/**
 * Valid arguments, each changed in one place so that the schema no longer allows them; also within their objects, and
 * within the first item of each list.
 */
export function nearMisses(valid: JsonObject, schema: JsonObject): Probe[] {
  const misses = new Misses(schema).ofMembers(valid, schema, 0);
  return misses.map(({ path, what, value }) => ({ what: path === '' ? what : `${path}: ${what}`, args: value }));
}

class Misses {
  constructor(private readonly root: JsonObject) {}

  ofMembers(valid: JsonObject, schema: JsonObject, depth: number): Miss[] {
    const required = Array.isArray(schema.required) ? (schema.required as readonly Json[]) : [];
    const unknown = { path: '', what: 'an unknown member', value: { ...valid, surely_not_known: 1 } };
    const misses: Miss[] = schema.additionalProperties === false ? [unknown] : [];
    for (const [name, member] of Object.entries(valid)) {
      if (required.includes(name)) misses.push({ path: name, what: 'missing', value: without(valid, name) });
      const property = objectOf(objectOf(schema.properties)[name]);
      for (const { path, what, value } of this.#of(member, property, depth + 1))
        misses.push({ path: joined(name, path), what, value: { ...valid, [name]: value } });
    }
    return misses;
  }

  #of(valid: Json, schema: JsonObject, depth: number): Miss[] {
    const { parts, nullable } = this.#parts(schema);
    return parts.flatMap((part) => [
      ...wrongValues(valid, part, nullable).map(([what, value]) => ({ path: '', what, value })),
      ...(depth <= MAX_NESTING ? this.#within(valid, part, depth) : []),
    ]);
  }

  #within(valid: Json, part: JsonObject, depth: number): Miss[] {
    if (isPlainObject(valid)) return this.ofMembers(valid, part, depth);
    if (!Array.isArray(valid) || valid.length === 0) return [];
    const [first, ...rest] = valid as readonly Json[];
    return this.#of(first as Json, objectOf(part.items), depth + 1).map(({ path, what, value }) => ({
      path: joined('[0]', path),
      what,
      value: [value, ...rest],
    }));
  }

  /** Schemas that must all hold, so that what one of them refuses is refused; null may be allowed beside them. */
  #parts(schema: JsonObject): { readonly parts: JsonObject[]; readonly nullable: boolean } {
    const { $ref, anyOf, allOf, ...rest } = schema;
    if (typeof $ref === 'string') return { parts: [targetOf(this.root, $ref)], nullable: false };
    if (Array.isArray(anyOf)) {
      const [one, ...more] = (anyOf as readonly JsonObject[]).filter(({ type }) => type !== 'null');
      return { parts: one && more.length === 0 ? this.#parts(one).parts : [], nullable: true };
    }
    return { parts: [rest, ...((Array.isArray(allOf) ? allOf : []) as readonly JsonObject[])], nullable: false };
  }
}

function joined(outer: string, inner: string): string {
  return inner === '' || inner.startsWith('[') ? `${outer}${inner}` : `${outer}.${inner}`;
}

/** JSON that is meant to get past a check, as a value or as the text that a model wrote. */
export function hostileTexts(valid: object): Probe[] {
  const text = JSON.stringify(valid);
  const inside = text.slice(1, -1);
  const [first = '"x"'] = Object.keys(valid).map((key) => JSON.stringify(key));
  const deep = `${'['.repeat(MAX_DEPTH + 1)}${']'.repeat(MAX_DEPTH + 1)}`;
  return [
    { what: 'text that is cut off', args: text.slice(0, -1) },
    { what: 'text with more after it', args: `${text} true` },
    { what: 'a member given twice', args: `{${inside ? `${inside},` : ''}${first}:1,${first}:2}` },
    { what: '__proto__ in the text', args: `{"__proto__":{"admin":true}${inside ? `,${inside}` : ''}}` },
    { what: 'constructor in the text', args: `{"constructor":{"prototype":{}}${inside ? `,${inside}` : ''}}` },
    { what: 'a method of every object', args: `{"toString":1${inside ? `,${inside}` : ''}}` },
    { what: 'a depth that overflows', args: `{"deep":${deep}${inside ? `,${inside}` : ''}}` },
    { what: 'an array around them', args: [valid] },
    { what: 'nothing', args: null },
    { what: 'a text in a text', args: JSON.stringify(text) },
  ];
}

function wrongValues(valid: Json, part: JsonObject, nullable: boolean): [string, unknown][] {
  const types = typesOf(part);
  if (types.length === 0) return [];
  const wrong: [string, unknown][] = [];
  if (!types.includes('string')) wrong.push(['a string instead', 'text']);
  if (!types.includes('number') && !types.includes('integer')) wrong.push(['a number instead', 1.5]);
  if (!types.includes('boolean')) wrong.push(['a boolean instead', true]);
  if (!types.includes('null') && !nullable) wrong.push(['null instead', null]);
  if (!types.includes('array')) wrong.push(['a list of it instead', [valid]]);
  if (types.includes('integer') && !types.includes('number')) wrong.push(['a fraction', 0.5]);
  return [...wrong, ...outOfBounds(part), ...noMembers(valid, part), ...misspelt(part), ...wrongLists(valid, part)];
}

/** Beyond 2^53 a number may be its own neighbour. */
function outOfBounds({ minimum, maximum, minLength, maxLength, exclusiveMinimum, exclusiveMaximum }: JsonObject) {
  const wrong: [string, unknown][] = [];
  if (typeof minimum === 'number' && minimum - 1 < minimum) wrong.push(['below its minimum', minimum - 1]);
  if (typeof maximum === 'number' && maximum + 1 > maximum) wrong.push(['above its maximum', maximum + 1]);
  if (typeof exclusiveMinimum === 'number') wrong.push(['at its exclusive minimum', exclusiveMinimum]);
  if (typeof exclusiveMaximum === 'number') wrong.push(['at its exclusive maximum', exclusiveMaximum]);
  if (typeof minLength === 'number' && minLength > 0 && minLength <= LONG)
    wrong.push(['shorter than its minimum', 'x'.repeat(minLength - 1)]);
  if (typeof maxLength === 'number' && maxLength < LONG)
    wrong.push(['longer than its maximum', 'x'.repeat(maxLength + 1)]);
  return wrong;
}

/** The value's neighbour, of the same type, that is not in the enum; and an object that must hold something, empty. */
function noMembers(valid: Json, part: JsonObject): [string, unknown][] {
  if (typeof part.minProperties === 'number' && part.minProperties > 0) return [['without any member', {}]];
  const members = membersOf(part);
  if (!members) return [];
  let outside = typeof valid === 'number' ? valid + 1 : `${typeof valid === 'string' ? valid : ''}_`;
  while (members.includes(outside)) outside = typeof outside === 'number' ? outside + 1 : `${outside}_`;
  return [['a value outside its enum', outside]];
}

/** Two words and nothing are no email, address, date or link in any form that a validator may take. */
function misspelt({ format, pattern }: JsonObject): [string, unknown][] {
  const fits = typeof pattern === 'string' ? new RegExp(pattern, 'u') : null;
  const against = fits && ['two words', '', '?'].find((text) => !fits.test(text));
  return [
    ...(typeof format === 'string' && format in FORMATS
      ? ([[`no ${format}`, 'two words']] as [string, unknown][])
      : []),
    ...(typeof against === 'string' ? ([['against its pattern', against]] as [string, unknown][]) : []),
  ];
}

function wrongLists(valid: Json, { minItems, maxItems, uniqueItems }: JsonObject): [string, unknown][] {
  if (!Array.isArray(valid)) return [];
  const items = valid as readonly Json[];
  const wrong: [string, unknown][] = [];
  if (typeof minItems === 'number' && minItems > 0 && items.length >= minItems)
    wrong.push(['fewer items than its minimum', items.slice(0, minItems - 1)]);
  if (typeof maxItems === 'number' && maxItems < LONG && items.length > 0) {
    const more = Array.from({ length: maxItems + 1 }, (_, place) => items[place % items.length]);
    wrong.push(['more items than its maximum', more]);
  }
  if (uniqueItems === true && items.length > 0) wrong.push(['an item twice', [...items, items[0]]]);
  return wrong;
}

/** The types that a property is declared to have; none if its schema does not say. */
function typesOf(part: JsonObject): readonly unknown[] {
  const members = membersOf(part);
  if (members) return members.map((member) => (member === null ? 'null' : typeof member));
  const { type } = part;
  return typeof type === 'string' ? [type] : Array.isArray(type) ? (type as readonly Json[]) : [];
}

/** The values that a property may have, if its schema lists them. */
function membersOf(part: JsonObject): readonly Json[] | null {
  if ('const' in part) return [part.const];
  return Array.isArray(part.enum) ? (part.enum as readonly Json[]) : null;
}

function without(valid: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name));
}
