import { parameterTypesOf } from '../../decorators/metadata.js';
import { DefinitionError, InvalidJsonError } from '../errors.js';
import { canonicalJson } from '../model/canonical-json.js';
import type { Class, InputDefinition } from './definition.js';
import { plainOf } from './instance.js';
import { schemaOf } from './schema.js';
import { nameOf, shapeOf, withNested, type ClassShape, type InputClass } from './shape.js';

/** A tool's method, as far as its input class depends on it. */
export interface InputSource {
  readonly owner: Class;
  readonly method: string;
  /** The method that settles its calls: the other place where TypeScript emits the type. */
  readonly reconcile: string | null;
  /** The option `input`, as it was given. */
  readonly given: unknown;
  /** `@Tool(false, { input: … })`, for a message. */
  readonly advice: string;
}

/** The input of a tool whose method has no parameters. */
const NO_ARGUMENTS: InputClass = Object;

/** Types that TypeScript emits where there is no class to name. */
const NOT_CLASSES = new Map<unknown, string>([
  [Object, 'an interface, a type alias, a type-only import or a circular one: nothing that exists at run time'],
  [undefined, 'undefined, as a circular import leaves it'],
  [String, 'a string'],
  [Number, 'a number'],
  [Boolean, 'a boolean'],
  [Array, 'an array'],
]);

/**
 * The input class of a tool, read and checked.
 *
 * @throws DefinitionError naming the tool's class and what to write
 */
export function inputOf(source: InputSource): InputDefinition {
  const cls = classOf(source);
  const shape = shapeOf(cls);
  for (const nested of withNested(shape)) refuseDefaults(nested);
  return { cls, shape, schema: schemaOf(shape) };
}

function classOf(source: InputSource): InputClass {
  const where = `${nameOf(source.owner)}.${source.method}`;
  if (source.given !== undefined) return usable(source.given, `${where}: the option input is`, source.advice);
  const own = parameterTypesOf(source.owner, source.method);
  if (own?.length === 0) return NO_ARGUMENTS;
  const types = own ?? (source.reconcile === null ? undefined : parameterTypesOf(source.owner, source.reconcile));
  if (!types || types.length === 0) {
    throw new DefinitionError(
      `${where}: no input class to be found, as no parameter types were emitted for it; write ${source.advice}`,
    );
  }
  const from = own ? where : `${nameOf(source.owner)}.${String(source.reconcile)}`;
  return usable(types[0], `${from}: the first parameter's type is`, source.advice);
}

function usable(type: unknown, what: string, advice: string): InputClass {
  const why = NOT_CLASSES.get(type) ?? (isClass(type) ? null : `${typeof type}, not a class`);
  if (why !== null) {
    throw new DefinitionError(`${what} ${why}; declare a class with class-validator decorators and write ${advice}`);
  }
  return type as InputClass;
}

/** Whether a value can be called with `new`. */
export function isClass(value: unknown): value is Class {
  return typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null;
}

/** A default that is no JSON would fail every call that leaves the property out. */
function refuseDefaults(shape: ClassShape): void {
  const problems: { path: string; message: string }[] = [];
  try {
    canonicalJson(plainOf(new shape.cls(), shape, nameOf(shape.cls), problems), nameOf(shape.cls));
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    problems.push({ path: error.path, message: error.found });
  }
  const [problem] = problems;
  if (problem) throw new DefinitionError(`${problem.path}: its default is no JSON: ${problem.message}`);
}
