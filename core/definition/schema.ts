import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata.js';
import type { Json, JsonObject } from '../model/json.js';
import { allOf, constraintOf } from './constraints.js';
import {
  isConditional,
  isNested,
  standsAlone,
  withNested,
  type ClassShape,
  type Held,
  type PropertyShape,
} from './shape.js';

/**
 * The JSON Schema (2020-12) of an input class: what an agent is told, and an approver shown.
 *
 * - It never refuses what validation accepts; where validation says more, the schema's description names what.
 * - It is self-contained: nested classes are written in place, those that contain themselves by `$ref`.
 * - It is the same in every process: nothing in it comes from a default, a class's name or the clock, so its hash stands
 *   for the declaration. (A default may be today's date; a bundler renames classes.)
 */
export function schemaOf(root: ClassShape): JsonObject {
  const writer = new SchemaWriter(root);
  return writer.write();
}

const PRIMITIVE = new Set<Json>(['string', 'number', 'integer', 'boolean']);

class SchemaWriter {
  readonly #root: ClassShape;
  readonly #recursive: ReadonlySet<ClassShape>;
  readonly #keys = new Map<ClassShape, string>();
  readonly #definitions: Record<string, JsonObject> = {};

  constructor(root: ClassShape) {
    this.#root = root;
    this.#recursive = new Set([...withNested(root)].filter(containsItself));
  }

  write(): JsonObject {
    const schema = this.#objectOf(this.#root);
    return this.#keys.size === 0 ? schema : { ...schema, $defs: this.#definitions };
  }

  #objectOf(shape: ClassShape): JsonObject {
    const properties = [...shape.properties.values()];
    const required = properties.filter(isRequired).map(({ name }) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(properties.map((property) => [property.name, this.#propertyOf(property)])),
      ...(required.length > 0 ? { required: required.sort() } : {}),
      additionalProperties: false,
    };
  }

  #propertyOf(property: PropertyShape): JsonObject {
    const checked = this.#checkedOf(property);
    if (property.transformed) return described('Converted before it is checked; then', checked);
    if (property.validators.some(isConditional)) return described('In some cases', checked);
    return checked;
  }

  /** What is left of a property's value when its `@Transform` and its conditions are passed. */
  #checkedOf(property: PropertyShape): JsonObject {
    const { validators, holds } = property;
    const item = validators.filter((validator) => validator.each);
    const whole = validators.filter((validator) => !validator.each);
    const nested = holds.kind === 'object' ? [this.#referenceTo(holds.shape, property.name)] : [];
    const isOptional = validators.some(({ name }) => name === 'isOptional');
    const ofItems = allOf([...typed(schemasOf(item, holds), property, true), ...nested]);
    const ofWhole = property.list
      ? allOf([...schemasOf(whole, holds), listOf(ofItems, property)])
      : allOf([...typed(schemasOf(whole, holds), property, !isOptional), ...nested]);
    const notes = validators.flatMap((validator) => constraintOf(validator, holds.kind).note ?? []);
    const schema = notes.length > 0 ? { ...ofWhole, description: `Also checked: ${notes.join(', ')}` } : ofWhole;
    return isOptional ? nullable(schema) : schema;
  }

  #referenceTo(shape: ClassShape, property: string): JsonObject {
    if (!this.#recursive.has(shape)) return this.#objectOf(shape);
    if (shape === this.#root) return { $ref: '#' };
    const known = this.#keys.get(shape);
    const key = known ?? this.#freshKey(property);
    if (known === undefined) {
      this.#keys.set(shape, key);
      this.#definitions[key] = this.#objectOf(shape);
    }
    return { $ref: `#/$defs/${key}` };
  }

  /** Named after the property that first led to the class: classes may share names, and bundlers change them. */
  #freshKey(property: string): string {
    const base = property.replace(/[^\w-]/g, '_');
    const taken = new Set(this.#keys.values());
    let key = base;
    for (let count = 2; taken.has(key); count += 1) key = `${base}_${count}`;
    return key;
  }
}

function containsItself(shape: ClassShape): boolean {
  return [...shape.properties.values()].some(
    ({ holds }) => holds.kind === 'object' && withNested(holds.shape).has(shape),
  );
}

function schemasOf(validators: readonly ValidationMetadata[], { kind }: Held): JsonObject[] {
  return validators.map((validator) => constraintOf(validator, kind).schema).filter((schema) => schema !== null);
}

/** What validators say of one value, with the type that `@Type` names where they name none, and null unless they refuse it. */
function typed(parts: readonly JsonObject[], property: PropertyShape, withNull: boolean): readonly JsonObject[] {
  const { kind } = property.holds;
  if (kind === 'object' || property.transformed || !standsAlone(property)) return parts;
  if (parts.some((part) => 'type' in part)) return parts;
  const type = kind === 'date' ? 'string' : kind;
  const mayBeNull = withNull && parts.every(acceptsNull);
  return [{ type: mayBeNull ? [type, 'null'] : type, ...(kind === 'date' ? { format: 'date-time' } : {}) }, ...parts];
}

/** Every validator that says something refuses null, but one that lists it. */
function acceptsNull({ enum: values, const: value }: JsonObject): boolean {
  return value === null || (Array.isArray(values) && (values as readonly Json[]).includes(null));
}

/**
 * Objects are unique by identity only, and so are the dates that texts become; a schema may ask for unique items where they
 * are known to be neither.
 */
function listOf(items: JsonObject, { holds, validators }: PropertyShape): JsonObject {
  const unique =
    holds.kind !== 'date' &&
    validators.some(({ name, each, validateIf }) => name === 'arrayUnique' && !each && !validateIf);
  return {
    type: 'array',
    ...(Object.keys(items).length > 0 ? { items } : {}),
    ...(unique && items.type !== undefined && PRIMITIVE.has(items.type) ? { uniqueItems: true } : {}),
  };
}

/** Whether a value must be given: no default stands in, and some validator is known to refuse a missing one. */
function isRequired({ validators, holds, hasDefault }: PropertyShape): boolean {
  if (hasDefault || validators.some((validator) => isConditional(validator) || validator.name === 'isOptional'))
    return false;
  return validators.some((validator) => {
    return validator.name !== 'isEmpty' && !isNested(validator) && constraintOf(validator, holds.kind).schema !== null;
  });
}

function nullable(schema: JsonObject): JsonObject {
  const { type } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (typeof type === 'string' && !('enum' in schema) && !('const' in schema) && !('allOf' in schema)) {
    return { ...schema, type: [type, 'null'] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}

/** Says in words what the schema may not insist on. */
function described(when: string, schema: JsonObject): JsonObject {
  return Object.keys(schema).length === 0 ? {} : { description: `${when}: ${JSON.stringify(schema)}` };
}
