import { isPlainObject, type Json, type JsonObject } from '../../core/model/json.js';

/**
 * Arguments that a tool's schema allows: with every member, with the required ones only, and with each member at each of
 * its bounds. The same ones every time. Validation may refuse some of them, where it says more than a schema can.
 *
 * It reads what `core/definition/schema` writes. A pattern is not solved: a text that happens to fit is looked for.
 */
export function samplesOf(schema: JsonObject): JsonObject[] {
  return new Sampler(schema).objects(schema, 0);
}

/** How deep classes that contain themselves are filled. */
export const MAX_NESTING = 3;
/** No text is made that is longer: it would tell nothing more. */
export const LONG = 10_000;

/** A validator may take some forms of a format only, so there is one of each. */
export const FORMATS: Readonly<Record<string, string[]>> = {
  'date-time': ['2026-01-31T12:00:00.000Z'],
  email: ['ann@example.org'],
  uri: ['https://example.org/a?b=c'],
  uuid: ['9b2d6f5e-3c1a-4d7e-8f00-0123456789ab', '0192f0c1-7e57-7abc-8def-0123456789ab'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
};

const TEXTS = [
  'text',
  'a',
  'A',
  '1',
  '42',
  'A-1',
  'AB-12',
  'ABC',
  '2026-01-31',
  'a_b',
  '/a/b',
  ...Object.values(FORMATS).flat(),
];

class Sampler {
  constructor(private readonly root: JsonObject) {}

  /** Every member, then the required ones only, then one member after the other at its further values. */
  objects(schema: JsonObject, depth: number): JsonObject[] {
    const properties = Object.entries(objectOf(schema.properties));
    const required = Array.isArray(schema.required) ? (schema.required as readonly Json[]) : [];
    const values = properties
      .filter(([name]) => depth < MAX_NESTING || required.includes(name))
      .map(([name, property]) => [name, this.values(objectOf(property), depth + 1)] as const)
      .filter(([, candidates]) => candidates.length > 0);
    const full = Object.fromEntries(values.map(([name, [first]]) => [name, first as Json]));
    const least = Object.fromEntries(Object.entries(full).filter(([name]) => required.includes(name)));
    const varied = values.flatMap(([name, [, ...more]]) => more.map((value) => ({ ...full, [name]: value })));
    return [full, ...(Object.keys(least).length < values.length ? [least] : []), ...varied];
  }

  /** Values that fit, the most usual first; none where none was found. */
  values(schema: JsonObject, depth: number): Json[] {
    const { $ref, anyOf, allOf, ...rest } = schema;
    if (typeof $ref === 'string') return this.values(targetOf(this.root, $ref), depth);
    // Validators that do not agree on a keyword: what satisfies one of them may satisfy all.
    if (Array.isArray(allOf))
      return [...(allOf as readonly Json[]), {}].flatMap((one) => this.values({ ...rest, ...objectOf(one) }, depth));
    if ('const' in schema) return [schema.const];
    if (Array.isArray(schema.enum)) return [...(schema.enum as readonly Json[])];
    if (Array.isArray(anyOf)) return (anyOf as readonly Json[]).flatMap((one) => this.values(objectOf(one), depth));
    const types =
      typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : ['string'];
    return (types as readonly Json[]).flatMap((type) => this.#ofType(type, schema, depth));
  }

  #ofType(type: Json, schema: JsonObject, depth: number): Json[] {
    switch (type) {
      case 'object':
        return schema.properties === undefined ? [{ any: 'text' }, {}] : this.objects(schema, depth);
      case 'array':
        return this.#lists(schema, depth);
      case 'string':
        return texts(schema);
      case 'integer':
      case 'number':
        return numbers(schema, type === 'integer');
      case 'boolean':
        return [true, false];
      default:
        return [null];
    }
  }

  #lists(schema: JsonObject, depth: number): Json[] {
    const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number };
    const items = depth < MAX_NESTING || minItems > 0 ? this.values(objectOf(schema.items), depth + 1) : [];
    const distinct = schema.uniqueItems === true;
    return [...new Set([Math.max(1, minItems), minItems, Math.min(maxItems, minItems + 3)])]
      .filter((length) => length === 0 || (length <= maxItems && items.length >= (distinct ? length : 1)))
      .map((length) => Array.from({ length }, (_, place) => items[place % items.length] as Json));
  }
}

/** What a `$ref` of a tool's schema stands for. */
export function targetOf(root: JsonObject, reference: string): JsonObject {
  if (reference === '#') return root;
  return objectOf(objectOf(root.$defs)[reference.slice('#/$defs/'.length)]);
}

function texts({ format, pattern, minLength = 0, maxLength = Infinity }: JsonObject): string[] {
  const [least, most] = [Number(minLength), Number(maxLength)];
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known) return [...known];
  if (typeof pattern === 'string') {
    const fits = new RegExp(pattern, 'u');
    return TEXTS.filter((text) => text.length >= least && text.length <= most && fits.test(text)).slice(0, 1);
  }
  const usual = 'text'.length >= least && 'text'.length <= most ? ['text'] : [];
  const lengths = [Math.max(1, least), least, most].filter((length) => length <= LONG);
  return [...new Set([...usual, ...lengths.map((length) => 'x'.repeat(length))])];
}

function numbers(schema: JsonObject, whole: boolean): number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Readonly<
    Record<string, number | undefined>
  >;
  const least = minimum ?? exclusiveMinimum ?? -Infinity;
  const most = maximum ?? exclusiveMaximum ?? Infinity;
  const near = [minimum, maximum, least + 1, most - 1, (least + most) / 2].filter((value) => value !== undefined);
  const candidates = [1, 0, -1, 1.5, ...near]
    .flatMap((value) => (whole ? [Math.ceil(value), Math.floor(value)] : [value]))
    .filter((value) => Number.isFinite(value) && value >= least && value <= most)
    .filter((value) => value > (exclusiveMinimum ?? -Infinity) && value < (exclusiveMaximum ?? Infinity));
  // Minus zero is not JSON.
  return [...new Set(candidates.map((value) => value + 0))];
}

export function objectOf(value: Json | undefined): JsonObject {
  return isPlainObject(value) ? value : {};
}
