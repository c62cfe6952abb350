import 'reflect-metadata';

/**
 * What the decorators record, and how it is read.
 *
 * - Recording never throws, validates or changes a class: `core/definition` judges later, with the whole program in view.
 * - A record hangs on the class, or on the metadata object that a standard decorator is handed before its class exists.
 * - Reading follows the prototype chain: a subclass has what its parent declares, and what it declares itself wins.
 */

/** What stood behind a decorator when it ran. */
export interface Place {
  readonly kind: 'class' | 'method' | 'getter' | 'setter' | 'accessor' | 'field' | 'parameter';
  /** The member's name; null for the class itself and for a parameter of its constructor. */
  readonly key: string | symbol | null;
  readonly isStatic: boolean;
  readonly isPrivate: boolean;
}

/** What each decorator was given, as it was given. TypeScript checks it; JavaScript may have passed anything. */
export interface Recorded {
  readonly agent: { readonly options: unknown };
  readonly tool: { readonly readOnly: unknown; readonly options: unknown };
  readonly reconcile: { readonly method: unknown };
}

/** One use of a decorator. */
export interface Declaration<Kind extends keyof Recorded = keyof Recorded> {
  readonly decorator: Kind;
  readonly place: Place;
  readonly given: Recorded[Kind];
  /** The class that was decorated: the one read from, or an ancestor of it. */
  readonly declaredBy: Class;
}

type Class = abstract new (...args: never[]) => object;
type Entry = Omit<Declaration, 'declaredBy'>;

// Without it neither TypeScript's nor esbuild's standard decorators are handed a metadata object.
// Both fall back to this very symbol, so classes of either compiler are read alike.
const METADATA = (Symbol as { readonly metadata?: symbol }).metadata ?? Symbol.for('Symbol.metadata');
if (!('metadata' in Symbol)) Object.defineProperty(Symbol, 'metadata', { value: METADATA });

const CLASS: Place = { kind: 'class', key: null, isStatic: false, isPrivate: false };

const entries = new WeakMap<object, Entry[]>();

/**
 * Records one use of a decorator.
 *
 * @param decorated the arguments that the runtime passed to the decorator: two for a standard one, else a legacy one's
 */
export function record<Kind extends keyof Recorded>(
  decorator: Kind,
  given: Recorded[Kind],
  decorated: readonly unknown[],
): void {
  const [target, second, third] = decorated;
  const [holder, place] = isContext(second) ? locateStandard(target, second) : locateLegacy(target, second, third);
  if (!isHolder(holder)) return;
  const held = entries.get(holder);
  const entry = { decorator, given, place };
  if (held) held.push(entry);
  else entries.set(holder, [entry]);
}

/**
 * Every use of a decorator that holds for a class, ancestors' first.
 *
 * A place that both a class and its ancestor decorate is the class's. A place decorated twice in one class is listed twice.
 */
export function declarationsOf<Kind extends keyof Recorded>(cls: Class, decorator: Kind): Declaration<Kind>[] {
  const found: Declaration<Kind>[] = [];
  for (const declaredBy of ancestry(cls)) {
    const own = ownEntries(declaredBy).filter(
      (entry): entry is Entry & Declaration<Kind> => entry.decorator === decorator,
    );
    const inherited = found.filter((above) => !own.some((entry) => isSamePlace(entry.place, above.place)));
    found.splice(0, found.length, ...inherited, ...own.map((entry) => ({ ...entry, declaredBy })));
  }
  return found;
}

/** The parameter types that TypeScript emitted for a method; undefined if it emitted none. */
export function parameterTypesOf(cls: Class, method: string): readonly unknown[] | undefined {
  const types: unknown = Reflect.getMetadata('design:paramtypes', cls.prototype as object, method);
  return Array.isArray(types) ? types : undefined;
}

/** The type that TypeScript emitted for a property; undefined if it emitted none. */
export function propertyTypeOf(cls: Class, property: string): unknown {
  return Reflect.getMetadata('design:type', cls.prototype as object, property);
}

function isContext(value: unknown): value is DecoratorContext {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Compilers older than standard metadata hand over none: the method itself then holds the record. */
function locateStandard(value: unknown, context: DecoratorContext): [holder: unknown, place: Place] {
  if (context.kind === 'class') return [value, CLASS];
  const metadata: unknown = context.metadata;
  const { kind, name: key, static: isStatic, private: isPrivate } = context;
  return [metadata ?? value, { kind, key, isStatic, isPrivate }];
}

function locateLegacy(target: unknown, key: unknown, third: unknown): [holder: unknown, place: Place] {
  const isStatic = typeof target === 'function';
  const holder: unknown = isStatic ? target : (target as { constructor?: unknown } | null | undefined)?.constructor;
  const isKey = typeof key === 'string' || typeof key === 'symbol';
  if (!isKey && typeof third !== 'number') return [holder, CLASS];
  return [holder, { kind: kindOf(third), key: isKey ? key : null, isStatic, isPrivate: false }];
}

/** A legacy decorator's third argument: a parameter's index, a member's descriptor, or nothing for a field. */
function kindOf(third: unknown): Place['kind'] {
  if (typeof third === 'number') return 'parameter';
  if (typeof third !== 'object' || third === null) return 'field';
  return 'value' in third ? 'method' : 'accessor';
}

function isHolder(value: unknown): value is object {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

function isSamePlace(one: Place, other: Place): boolean {
  return (
    one.key === other.key && one.isStatic === other.isStatic && (one.kind === 'class') === (other.kind === 'class')
  );
}

/** A class and what it extends, the most general first. */
function ancestry(cls: Class): Class[] {
  const chain: Class[] = [];
  for (let at: unknown = cls; typeof at === 'function' && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
    chain.unshift(at as Class);
  }
  return chain;
}

function ownEntries(cls: Class): Entry[] {
  const prototype: unknown = cls.prototype;
  const methods = isHolder(prototype) ? Object.values(Object.getOwnPropertyDescriptors(prototype)) : [];
  const holders: unknown[] = [
    Object.getOwnPropertyDescriptor(cls, METADATA)?.value,
    ...methods.map(({ value }: PropertyDescriptor): unknown => (value === cls ? undefined : value)),
    cls,
  ];
  return holders.filter(isHolder).flatMap((holder) => entries.get(holder) ?? []);
}
