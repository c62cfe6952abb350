import type { Declaration } from '../../decorators/metadata.js';
import { DefinitionError } from '../errors.js';
import type { Class } from './definition.js';
import { nameOf } from './shape.js';

const WRITTEN = { agent: '@Agent', tool: '@Tool', reconcile: '@Reconcile' } as const;

/**
 * The method that a decorator stands on.
 *
 * @throws DefinitionError if it stands on anything that cannot be called by name on an instance
 */
export function methodOf(cls: Class, { decorator, place }: Declaration): string {
  const { kind, key } = place;
  const what = `${WRITTEN[decorator]} stands on ${nameOf(cls)}${key === null ? '' : `.${String(key)}`}`;
  const wrong = (why: string): DefinitionError => new DefinitionError(`${what}, ${why}`);
  if (kind === 'class') throw wrong('a class; put it on one of its methods');
  if (kind === 'parameter') throw wrong('on a parameter; put it on the method');
  if (place.isStatic) throw wrong('which is static; it is called on an instance, so remove static');
  if (place.isPrivate) throw wrong('which is private; it is called from outside, so make it public');
  if (kind !== 'method') throw wrong(`which is not a method but of kind ${kind}; make it a method`);
  if (typeof key !== 'string') throw wrong('which is named by a symbol; give it an ordinary name');
  if (!hasMethod(cls, key)) throw wrong(`which ${nameOf(cls)} no longer has as a method`);
  return key;
}

/** Whether instances have such a method. Looks without reading, so no accessor runs. */
export function hasMethod(cls: Class, name: string): boolean {
  let at: unknown = cls.prototype;
  while (typeof at === 'object' && at !== null && at !== Object.prototype) {
    const member = Object.getOwnPropertyDescriptor(at, name);
    if (member) return typeof member.value === 'function';
    at = Object.getPrototypeOf(at);
  }
  return false;
}

/** @throws DefinitionError if two of the declarations stand on one place */
export function refuseTwice(cls: Class, declarations: readonly Declaration[]): void {
  const repeated = declarations.find(({ place }, index) => {
    return declarations.slice(0, index).some((before) => {
      return before.place.key === place.key && before.place.isStatic === place.isStatic;
    });
  });
  if (!repeated) return;
  const { decorator, place } = repeated;
  const where = `${nameOf(cls)}${place.key === null ? '' : `.${String(place.key)}`}`;
  throw new DefinitionError(`${WRITTEN[decorator]} stands twice on ${where}; keep one`);
}
