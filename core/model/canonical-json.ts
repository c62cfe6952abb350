import { InvalidJsonError } from '../errors.js';
import { isPlainArray, isPlainObject } from './json.js';

/**
 * The one byte form that is stored and hashed: RFC 8785 (JCS).
 *
 * - Keys sorted by UTF-16 code unit, no white space, numbers and strings as ECMAScript prints them.
 * - What JSON cannot hold is refused by path, never replaced (contract S8): a value that encodes decodes to its equal.
 * - Two things are not a change: an object's `undefined` property is an absent one, and `-0` is `0` (RFC 8785, 3.2.2.3).
 */

/** Deepest nesting of arrays and objects that is accepted. */
export const MAX_DEPTH = 256;

/** What is stored wraps such a value in a few levels more: an observation, a request, an event's payload. */
export const STORED_DEPTH = MAX_DEPTH + 16;

const LONE_SURROGATE = /\p{Surrogate}/u;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * The canonical JSON of a value.
 *
 * @param root what to call the value in an error's path, e.g. `result`
 * @throws InvalidJsonError naming the path of what JSON cannot hold
 */
export function canonicalJson(value: unknown, root = 'value'): string {
  return encode(value, root, { max: MAX_DEPTH, above: [] });
}

/**
 * The canonical JSON of a record of ours, around values that were accepted before: what is accepted can be stored.
 *
 * @throws InvalidJsonError
 */
export function storedJson(value: unknown, root = 'value'): string {
  return encode(value, root, { max: STORED_DEPTH, above: [] });
}

/** `a.b`, or `a["strange key"]`. */
export function propertyPath(parent: string, key: string): string {
  return IDENTIFIER.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`;
}

export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/** Where in the value the encoder is: the objects around it, outermost first. */
interface Depth {
  readonly max: number;
  readonly above: object[];
}

function encode(value: unknown, path: string, depth: Depth): string {
  switch (typeof value) {
    case 'string':
      return encodeString(value, path);
    case 'number':
      if (!Number.isFinite(value)) throw new InvalidJsonError(path, `${value} is not JSON; use null or a string`);
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : encodeObject(value, path, depth);
    case 'bigint':
      throw new InvalidJsonError(path, 'a BigInt is not JSON; write it as a string');
    default:
      throw new InvalidJsonError(path, `${typeof value} is not JSON`);
  }
}

function encodeString(value: string, path: string): string {
  if (hasLoneSurrogate(value)) {
    throw new InvalidJsonError(path, 'a string with a lone surrogate has no UTF-8 form');
  }
  return JSON.stringify(value);
}

function encodeObject(value: object, path: string, depth: Depth): string {
  const { above, max } = depth;
  if (above.includes(value)) throw new InvalidJsonError(path, 'a cycle is not JSON');
  if (above.length >= max) throw new InvalidJsonError(path, `nested deeper than ${max} levels`);
  if (!isPlainArray(value) && !isPlainObject(value)) {
    throw new InvalidJsonError(path, `a ${classNameOf(value)} is not plain JSON; use a plain object or a string`);
  }
  if (Object.getOwnPropertySymbols(value).length > 0) throw new InvalidJsonError(path, 'a symbol key is not JSON');
  above.push(value);
  const text = Array.isArray(value) ? encodeArray(value, path, depth) : encodeMembers(value, path, depth);
  above.pop();
  return text;
}

function encodeArray(value: readonly unknown[], path: string, depth: Depth): string {
  const parts: string[] = [];
  for (let index = 0; index < value.length; index += 1) {
    const at = `${path}[${index}]`;
    const item = dataOf(value, String(index), at);
    if (item === undefined) throw new InvalidJsonError(at, 'undefined in an array is not JSON; use null');
    parts.push(encode(item, at, depth));
  }
  if (Object.keys(value).length > value.length) {
    throw new InvalidJsonError(path, 'an array with properties of its own is not JSON');
  }
  return `[${parts.join(',')}]`;
}

function encodeMembers(value: object, path: string, depth: Depth): string {
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const at = propertyPath(path, key);
    const member = dataOf(value, key, at);
    if (member === undefined) continue;
    parts.push(`${encodeString(key, at)}:${encode(member, at, depth)}`);
  }
  return `{${parts.join(',')}}`;
}

function dataOf(value: object, key: string, path: string): unknown {
  if (key === '__proto__') throw new InvalidJsonError(path, 'the key __proto__ is refused');
  const property = Object.getOwnPropertyDescriptor(value, key);
  if (property && !('value' in property)) throw new InvalidJsonError(path, 'an accessor is not JSON; read it first');
  return property?.value;
}

function classNameOf(value: object): string {
  const name = (value.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' ? name : 'object of an unknown class';
}
