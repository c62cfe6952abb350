import { escapeText } from './escape-text.js';

/**
 * A value as one line of JSON that is safe on a terminal: what would be hidden there, or would control it, is written as
 * the escape that JSON has for it. A program that parses the line gets the value itself.
 */
export function printableJson(value: unknown): string {
  return escapeText(JSON.stringify(value), (character) => {
    return Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }).join('');
  });
}
