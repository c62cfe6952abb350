import { MAX_DEPTH } from '../../core/model/canonical-json.js';
import { isPlainObject, type Json, type JsonObject } from '../../core/model/json.js';
import { LONG } from './samples.js';

/** Arguments, or their JSON text, that must be refused. */
export interface Probe {
  readonly what: string;
  readonly args: unknown;
}

/** Valid arguments, each changed in one place so that the schema no longer allows them. */
export function nearMisses(valid: JsonObject, schema: JsonObject): Probe[] {
  const required = Array.isArray(schema.required) ? (schema.required as readonly Json[]) : [];
  const properties = isPlainObject(schema.properties) ? schema.properties : {};
  const probes: Probe[] = [{ what: 'an unknown member', args: { ...valid, surely_not_known: 1 } }];
  for (const [name, member] of Object.entries(valid)) {
    if (required.includes(name)) probes.push({ what: `${name}: missing`, args: without(valid, name) });
    const property = properties[name];
    if (!isPlainObject(property)) continue;
    for (const [what, value] of wrongValues(member, property)) {
      probes.push({ what: `${name}: ${what}`, args: { ...valid, [name]: value } });
    }
  }
  return probes;
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

function wrongValues(valid: Json, property: JsonObject): [string, unknown][] {
  const types = typesOf(property);
  if (types.length === 0) return [];
  const wrong: [string, unknown][] = [];
  if (!types.includes('string')) wrong.push(['a string instead', 'text']);
  if (!types.includes('number') && !types.includes('integer')) wrong.push(['a number instead', 1.5]);
  if (!types.includes('boolean')) wrong.push(['a boolean instead', true]);
  if (!types.includes('null')) wrong.push(['null instead', null]);
  if (!types.includes('array')) wrong.push(['a list of it instead', [valid]]);
  if (types.includes('integer') && !types.includes('number')) wrong.push(['a fraction', 0.5]);
  return [...wrong, ...outOfBounds(property)];
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

/** The types that a property is declared to have; none if its schema does not say. */
function typesOf({ type, enum: members }: JsonObject): readonly unknown[] {
  if (Array.isArray(members))
    return (members as readonly Json[]).map((member) => (member === null ? 'null' : typeof member));
  return typeof type === 'string' ? [type] : Array.isArray(type) ? (type as readonly Json[]) : [];
}

function without(valid: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name));
}
