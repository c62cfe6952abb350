import { DefinitionError } from '../errors.js';
import { isPlainObject } from '../model/json.js';
import { suggestion } from './closest.js';

/** The longest time that `setTimeout` can wait; a longer one fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** What was given to a decorator, checked part by part. Every message starts with `where`. */
export class Options {
  readonly #where: string;
  readonly #given: Readonly<Record<string, unknown>>;

  /** @throws DefinitionError if they are not an object with these keys at most */
  constructor(where: string, given: unknown, keys: readonly string[]) {
    this.#where = where;
    if (given !== undefined && !isPlainObject(given)) this.#fail(`its options must be an object, not ${shown(given)}`);
    this.#given = given ?? {};
    const unknown = Object.keys(this.#given).find((key) => !keys.includes(key));
    if (unknown !== undefined) {
      const hint = suggestion(unknown, keys) || `; the known ones are ${keys.join(', ')}`;
      this.#fail(`the option ${unknown} does not exist${hint}`);
    }
  }

  raw(key: string): unknown {
    return this.#given[key];
  }

  /** A name as agents, tools and records use it. */
  name(otherwise?: string): string {
    const name = this.#or('name', otherwise);
    if (name === undefined) this.#fail('it needs a name: give the option name');
    if (typeof name !== 'string' || !NAME.test(name)) {
      this.#fail(`the name ${shown(name)} must be 1 to 64 of A-Z a-z 0-9 _ -; give the option name`);
    }
    return name;
  }

  description(): string {
    const text = this.#or('description', '');
    if (typeof text !== 'string') this.#fail(`the option description must be a string, not ${shown(text)}`);
    return text;
  }

  timeoutMs(otherwise: number): number {
    const value = this.#or('timeoutMs', otherwise);
    if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > MAX_TIMEOUT_MS) {
      this.#fail(`the option timeoutMs must be a whole number from 1 to ${MAX_TIMEOUT_MS}, not ${shown(value)}`);
    }
    return value as number;
  }

  flag(key: string, otherwise: boolean): boolean {
    const value = this.#or(key, otherwise);
    if (typeof value !== 'boolean') this.#fail(`the option ${key} must be true or false, not ${shown(value)}`);
    return value;
  }

  oneOf<const T extends string>(key: string, values: readonly T[], otherwise: T): T {
    const value = this.#or(key, otherwise);
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) this.#fail(`the option ${key} must be one of ${values.join(', ')}, not ${shown(value)}`);
    return found;
  }

  #or(key: string, otherwise: unknown): unknown {
    const value = this.#given[key];
    return value === undefined ? otherwise : value;
  }

  #fail(why: string): never {
    throw new DefinitionError(`${this.#where}: ${why}`);
  }
}

/** A value in a message: only what a program's author wrote is ever shown. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return value.name === '' ? 'a function' : value.name;
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}
