import { propertyPath } from '../model/canonical-json.js';

const MAX_NAME = 64;

/** The path of a member. A model may write a name of any length; a path shows its beginning. */
export function memberPath(parent: string, name: string): string {
  return propertyPath(parent, name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);
}
