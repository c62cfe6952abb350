/** What JSON can hold. Every value that Holdpoint stores, hashes or hands over is one of these. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object: own, enumerable, string-keyed data properties. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A copy that shares nothing with the original (contract P4). */
export function copyOf<T>(value: T): T {
  return structuredClone(value);
}

/** Whether a value is an object with the prototype that a JSON object has. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether a value is an array of no class of its own. */
export function isPlainArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype;
}
