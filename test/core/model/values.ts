import fc from 'fast-check';
import { InvalidJsonError } from '../../../core/errors.js';
import { isPlainArray, isPlainObject, type Json } from '../../../core/model/json.js';

/** Text of any UTF-16 code units, lone surrogates among them. */
export const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 8 })
  .map((units) => String.fromCharCode(...units));

/** Any value that JSON can hold. */
export const anyJson = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 6 })
  .filter((value) => !hasProtoKey(value)) as fc.Arbitrary<Json>;

/** Any value that a program can make, as far as a generator goes. */
export const anything = fc.anything({
  key: fc.oneof(fc.string(), anyText, fc.constantFrom('__proto__', 'constructor', 'toString', '0', 'length')),
  values: [
    fc.string(),
    anyText,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom<unknown>(null, undefined, Symbol('s'), () => 1, new URL('http://a.example/'), Promise.resolve(1)),
  ],
  maxDepth: 4,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** Any value, and something stranger to be put beside it: `strange` makes both of it. */
export const anythingStrange = fc.record({
  value: anything,
  beside: fc.constantFrom('cycle', 'instance', 'getter', 'symbol', 'named item', 'proxy', 'nothing'),
});

/** A list of the value and of what is beside it. Made in the test, because a generated proxy could not be printed. */
export function strange({ value, beside }: { value: unknown; beside: string }): unknown[] {
  const list: unknown[] = [value];
  if (beside === 'cycle') list.push({ list });
  if (beside === 'instance') list.push(new Point(1, [value]));
  if (beside === 'getter') list.push(throwing('x'));
  if (beside === 'symbol') list.push({ [Symbol('key')]: value });
  if (beside === 'named item') Object.assign(list, { name: value });
  if (beside === 'proxy') list.push(unreadable());
  return list;
}

export class Point {
  constructor(
    readonly x: number,
    readonly inner: unknown,
  ) {}
}

/** An object whose member cannot be read. */
export function throwing(key: string): object {
  const get = (): never => {
    throw new Error('it cannot be read');
  };
  return Object.defineProperty({}, key, { get, enumerable: true });
}

/** An object that refuses every look at it. */
export function unreadable(): object {
  const refuse = (): never => {
    throw new Error('nothing of it can be read');
  };
  const handler: ProxyHandler<object> = { get: refuse, ownKeys: refuse, getPrototypeOf: refuse, has: refuse };
  return new Proxy({}, { ...handler, getOwnPropertyDescriptor: refuse });
}

/** `depth` arrays around null. */
export function nested(depth: number): Json {
  let value: Json = null;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

/** The value as JSON sees it: members that are undefined are absent, and there is one zero. */
export function asJson(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (isPlainArray(value)) return value.map(asJson);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, asJson(member)]));
}

/** The error of what is not JSON; null if nothing is thrown. Any other error fails the test. */
export function refusal(encode: () => unknown): InvalidJsonError | null {
  try {
    encode();
    return null;
  } catch (error) {
    if (error instanceof InvalidJsonError) return error;
    throw error;
  }
}

function hasProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProtoKey);
}
