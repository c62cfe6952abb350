import { TransformationType, Type, type TypeMetadata } from 'class-transformer';
import { defaultMetadataStorage as transformerStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata.js';
import { propertyTypeOf } from '../../decorators/metadata.js';
import { DefinitionError } from '../errors.js';
import { describeThrown } from '../model/text.js';

/**
 * What an input class declares, read once from the metadata of class-validator and class-transformer.
 *
 * - A property is known if and only if class-validator has metadata for it: what `forbidNonWhitelisted` goes by.
 * - What the two libraries would drop, misread or leave unchecked in silence is refused here, when the class is defined.
 * - Classes are told apart by their constructors, never by their names.
 * - Types that TypeScript emitted decide nothing: a class means the same with and without `emitDecoratorMetadata`.
 */

export type InputClass = new () => object;

export interface ClassShape {
  readonly cls: InputClass;
  /** In the order of declaration. Empty for a tool without arguments. */
  readonly properties: ReadonlyMap<string, PropertyShape>;
}

export interface PropertyShape {
  readonly name: string;
  /** What class-validator applies to it, inherited ones included. */
  readonly validators: readonly ValidationMetadata[];
  /** What `@Type` says that it holds, or each of its items if it is a list. */
  readonly holds: Held;
  /** Whether its validators speak of a list: `each: true`, or `@IsArray` and its like. */
  readonly list: boolean;
  /** Whether a `@Transform` changes the value before it is validated. */
  readonly transformed: boolean;
  /** Whether an instance has a value for it before any is given. */
  readonly hasDefault: boolean;
}

export type Held =
  | { readonly kind: 'json' | 'string' | 'number' | 'boolean' | 'date' }
  | { readonly kind: 'object'; readonly shape: ClassShape };

/** Validators that pass for nothing but an array. */
const OF_ARRAYS = new Set([
  'isArray',
  'arrayContains',
  'arrayNotContains',
  'arrayNotEmpty',
  'arrayMinSize',
  'arrayMaxSize',
  'arrayUnique',
]);

/** Validators that pass for nothing but a `Date`. */
const OF_DATES = new Set(['isDate', 'minDate', 'maxDate']);

const PLAIN_TYPES = new Map<unknown, Held>([
  [Object, { kind: 'json' }],
  [String, { kind: 'string' }],
  [Number, { kind: 'number' }],
  [Boolean, { kind: 'boolean' }],
  [Date, { kind: 'date' }],
]);

const SAME_TRANSFORMER = isSameTransformer();

/**
 * Reads an input class and every class nested in it.
 *
 * @throws DefinitionError naming the class, the property and what to write
 */
export function shapeOf(cls: InputClass): ClassShape {
  refuseSecondCopy();
  return readClass(cls, new Map());
}

/** A class's shape and that of every class nested in it, each once. */
export function withNested(shape: ClassShape, found = new Set<ClassShape>()): ReadonlySet<ClassShape> {
  if (found.has(shape)) return found;
  found.add(shape);
  for (const { holds } of shape.properties.values()) {
    if (holds.kind === 'object') withNested(holds.shape, found);
  }
  return found;
}

/** A class's name, for a message. */
export function nameOf(cls: { readonly name: string }): string {
  return cls.name === '' ? 'an anonymous class' : cls.name;
}

/** Whether a validator holds only under a condition that JSON Schema cannot state. */
export function isConditional(validator: ValidationMetadata): boolean {
  return validator.type === ValidationTypes.CONDITIONAL_VALIDATION && validator.name !== 'isOptional';
}

/**
 * Whether what `@Type` names must stand by itself, as the value or as each item of a list. A list of numbers is `Number` to
 * `@Type` too; where validators may speak of one, and where a `@Transform` may make one, it is for them to judge.
 */
export function standsAlone({ holds, list, validators, transformed }: PropertyShape): boolean {
  if (holds.kind === 'json') return false;
  if (holds.kind === 'object' || holds.kind === 'date') return true;
  return !transformed && !validators.some((validator) => (list ? isOfLists(validator) : isAboutLists(validator)));
}

function isPromised(validator: ValidationMetadata): boolean {
  return validator.type === ValidationTypes.PROMISE_VALIDATION;
}

/** Whether a validator judges the value whatever else holds, rather than permit or excuse it. */
function isJudge(validator: ValidationMetadata): boolean {
  if (isNested(validator)) return true;
  const { CONDITIONAL_VALIDATION, WHITELIST } = ValidationTypes;
  return validator.type !== CONDITIONAL_VALIDATION && validator.type !== WHITELIST && !validator.validateIf;
}

export function isNested(validator: ValidationMetadata): boolean {
  return validator.type === ValidationTypes.NESTED_VALIDATION;
}

function readClass(cls: InputClass, known: Map<InputClass, ClassShape>): ClassShape {
  const before = known.get(cls);
  if (before) return before;
  const properties = new Map<string, PropertyShape>();
  const shape = { cls, properties };
  known.set(cls, shape);

  refuseHiding(cls);
  const validators = validatorsOf(cls);
  const sample = sampleOf(cls);
  const unchecked = Object.keys(sample).find((name) => !validators.has(name));
  if (unchecked !== undefined) {
    fail(
      cls,
      'it has no class-validator decorator, so no value is ever accepted: put one on it, at least @Allow()',
      unchecked,
    );
  }
  for (const [name, applied] of validators) {
    properties.set(name, readProperty(cls, name, applied, sample, known));
  }
  return shape;
}

/** What `validate` would apply, by property: asked of the library itself, so that inheritance is as it sees it. */
function validatorsOf(cls: InputClass): Map<string, ValidationMetadata[]> {
  const byProperty = new Map<string, ValidationMetadata[]>();
  for (const validator of getMetadataStorage().getTargetValidationMetadatas(cls, '', false, false)) {
    const before = byProperty.get(validator.propertyName);
    if (before) before.push(validator);
    else byProperty.set(validator.propertyName, [validator]);
  }
  return byProperty;
}

function readProperty(
  cls: InputClass,
  name: string,
  validators: readonly ValidationMetadata[],
  sample: object,
  known: Map<InputClass, ClassShape>,
): PropertyShape {
  if (name in (cls.prototype as object)) {
    fail(cls, 'it is a method, an accessor or a built-in name; arguments are plain properties', name);
  }
  const list = validators.some((validator) => isJudge(validator) && isAboutLists(validator));
  const holds = readHeld(cls, name, known);
  refuseMismatch(cls, name, validators, holds, list);
  return {
    name,
    validators,
    holds,
    list,
    transformed: transformerStorage.findTransformMetadatas(cls, name, TransformationType.PLAIN_TO_CLASS).length > 0,
    hasDefault: (sample as Record<string, unknown>)[name] !== undefined,
  };
}

function readHeld(cls: InputClass, name: string, known: Map<InputClass, ClassShape>): Held {
  const declared = transformerStorage.findTypeMetadata(cls, name) as TypeMetadata | undefined;
  if (!declared) return { kind: 'json' };
  if (declared.options.discriminator)
    fail(cls, '@Type with a discriminator is not supported; declare a tool for each kind', name);
  if (declared.typeFunction.length > 0) fail(cls, '@Type must name one class, whatever the value', name);
  const type = namedBy(declared, (why) => fail(cls, `@Type names no class: ${why}`, name));
  const plain = PLAIN_TYPES.get(type);
  if (plain) return plain;
  if (typeof type !== 'function') {
    fail(cls, `@Type names ${String(type)}, not a class; a circular import can be the reason`, name);
  }
  if (validatorsOf(type as InputClass).size === 0) {
    fail(
      cls,
      `@Type names ${nameOf(type)}, which has no class-validator decorators and is not Date, Number, String or Boolean`,
      name,
    );
  }
  return { kind: 'object', shape: readClass(type as InputClass, known) };
}

function namedBy({ typeFunction }: TypeMetadata, refuse: (why: string) => never): unknown {
  try {
    return typeFunction();
  } catch (thrown) {
    return refuse(`its function threw: ${describeThrown(thrown).message}`);
  }
}

/** Refuses validators and `@Type` that together accept nothing, or accept what they do not check. */
function refuseMismatch(
  cls: InputClass,
  name: string,
  validators: readonly ValidationMetadata[],
  holds: Held,
  list: boolean,
): void {
  const emitted = propertyTypeOf(cls, name);
  const isNestedOne = validators.some(isNested);
  const isObject = holds.kind === 'object';
  const has = (names: ReadonlySet<string>): boolean => validators.some((validator) => names.has(validator.name ?? ''));
  const refusals: readonly (readonly [when: boolean, why: string])[] = [
    [emitted === Map || emitted === Set, 'JSON has no Map and no Set; declare an object or an array'],
    [validators.some(isPromised), 'JSON has no promises; declare what it resolves to'],
    [isNestedOne && !isObject, `@ValidateNested() does not know the class: add @Type(() => ${meantBy(emitted)})`],
    [!isNestedOne && isObject, '@Type of a class alone checks nothing: add @ValidateNested()'],
    [
      isNestedOne && validators.some(isOfLists),
      'a list of lists of objects is not supported; wrap the inner list in a class',
    ],
    [isNestedOne && emitted === Array && !list, 'it is an array: write @ValidateNested({ each: true })'],
    [has(OF_DATES) && holds.kind !== 'date', 'JSON has no dates: add @Type(() => Date)'],
  ];
  for (const [when, why] of refusals) if (when) fail(cls, why, name);
}

/** The class to name in `@Type`, for a message. */
function meantBy(emitted: unknown): string {
  const isOwn = typeof emitted === 'function' && emitted !== Array && !PLAIN_TYPES.has(emitted);
  return isOwn ? nameOf(emitted) : 'ItsClass';
}

function isAboutLists({ each, name = '' }: ValidationMetadata): boolean {
  return each || OF_ARRAYS.has(name);
}

function isOfLists({ each, name = '' }: ValidationMetadata): boolean {
  return each && OF_ARRAYS.has(name);
}

/** `@Exclude` and a renaming or grouped `@Expose` make class-transformer drop or move what was given, without a word. */
function refuseHiding(cls: InputClass): void {
  const [excluded] = transformerStorage.getExcludedMetadatas(cls);
  if (excluded)
    fail(cls, '@Exclude() is not supported on input classes; leave the property out', excluded.propertyName);
  if (transformerStorage.getStrategy(cls) === 'excludeAll') fail(cls, '@Exclude() is not supported on input classes');
  const exposed = transformerStorage
    .getExposedMetadatas(cls)
    .find(({ options }) => options.name !== undefined || options.groups !== undefined);
  if (exposed) {
    fail(
      cls,
      '@Expose with a name or groups is not supported on input classes; name the property as the agent shall',
      exposed.propertyName,
    );
  }
}

function sampleOf(cls: InputClass): object {
  try {
    return new cls();
  } catch (error) {
    throw new DefinitionError(`${nameOf(cls)}: an input class is made with new and no arguments, and this one threw`, {
      cause: error,
    });
  }
}

/** Whether `@Type` as users import it writes to the storage that is read here: a bundler may load the package twice. */
function isSameTransformer(): boolean {
  class Probe {
    readonly value = null;
  }
  Type(() => Object)(Probe.prototype, 'value');
  return (transformerStorage.findTypeMetadata(Probe, 'value') as unknown) !== undefined;
}

function refuseSecondCopy(): void {
  if (SAME_TRANSFORMER) return;
  throw new DefinitionError(
    'class-transformer is loaded twice, so its decorators cannot be read: mark it as external in the bundler',
  );
}

function fail(cls: InputClass, why: string, property?: string): never {
  throw new DefinitionError(`${nameOf(cls)}${property === undefined ? '' : `.${property}`}: ${why}`);
}
