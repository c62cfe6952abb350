import { storedJson } from '../canonical-json.js';
import { isPlainObject, type Json, type JsonObject } from '../json.js';
import { unshown, type Expected } from './column.js';

/** An event that does not follow from those before it, or does not say what its type must. Never leaves this folder. */
export class Misfit extends Error {
  constructor(
    message: string,
    readonly expected: string,
    readonly found: string,
  ) {
    super(message);
  }
}

/** Reads the members of an event's payload, whatever is stored there. What it shows of them is their kind alone. */
export class Payload {
  private constructor(private readonly members: Readonly<Record<string, unknown>>) {}

  /** @throws Misfit if it is not a JSON object */
  static of(stored: string): Payload {
    const value = parsed(stored);
    if (isPlainObject(value)) return new Payload(value);
    throw new Misfit('the payload of this event is not a JSON object', 'a JSON object', kindOf(value));
  }

  /** Whether it has the member: an older version may not have written it. */
  has(name: string): boolean {
    return Object.hasOwn(this.members, name);
  }

  is(name: string, value: Json): boolean {
    return this.has(name) && this.members[name] === value;
  }

  json(name: string): Json {
    if (this.has(name)) return this.members[name] as Json;
    return this.#refuse(name, 'a value');
  }

  object(name: string): JsonObject {
    const value = this.json(name);
    return isPlainObject(value) ? value : this.#refuse(name, 'an object');
  }

  text(name: string): string {
    const value = this.json(name);
    return typeof value === 'string' ? value : this.#refuse(name, 'a text');
  }

  textOrNull(name: string): string | null {
    return this.json(name) === null ? null : this.text(name);
  }

  number(name: string): number {
    const value = this.json(name);
    return typeof value === 'number' ? value : this.#refuse(name, 'a number');
  }

  numberOrNull(name: string): number | null {
    return this.json(name) === null ? null : this.number(name);
  }

  #refuse(name: string, expected: string): never {
    const found = this.has(name) ? kindOf(this.members[name]) : 'nothing';
    throw new Misfit(`this event does not say what it must: ${name}`, expected, found);
  }
}

/** What a column of JSON must hold for this value; the JSON null is an absent one. */
export function stored(value: unknown): Expected {
  return value === null ? null : unshown(encoded(value));
}

/** The text under which a value is stored. */
export function encoded(value: unknown): string {
  try {
    return storedJson(value);
  } catch {
    throw new Misfit('this event holds what cannot be stored', 'JSON that can be stored', 'JSON that cannot');
  }
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'no JSON';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
