import { readFileSync } from 'node:fs';
import { readJsonText } from '../../core/definition/json-text.js';
import { InvalidArgumentError } from '../../core/errors.js';
import { canonicalJson } from '../../core/model/canonical-json.js';
import type { Json } from '../../core/model/json.js';

/** What matters in JSON here: an escaped character, the edge of a text, a number. */
const TOKENS = /\\.|"|-?\d[\d.eE+-]*/g;

/**
 * What a person says a call came to: JSON, or the name of a file after `@`.
 *
 * @throws InvalidArgumentError, InvalidJsonError if it is none, or would not be recorded as it was given
 */
export function resultOf(given: string): Json {
  const text = given.startsWith('@') ? readResult(given.slice(1)) : given;
  const result = parsed(given, text);
  canonicalJson(result, '--result');
  for (const number of numbersOf(text)) assertKept(number);
  return result;
}

/** What is wrong is not said in the reader's words: they name members, and the text may be a secret. */
function parsed(given: string, text: string): Json {
  const { value, problems } = readJsonText(text, '--result');
  if (value === undefined) {
    const what = given.startsWith('@') ? `what ${given.slice(1)} holds` : 'it';
    throw new InvalidArgumentError(`--result: ${what} is not JSON, and nothing was decided; quote texts: '"done"'`);
  }
  if (problems.length > 0) {
    throw new InvalidArgumentError(
      '--result: it holds a member twice in one object, and nothing was decided; only the last would be recorded',
    );
  }
  return value;
}

function readResult(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(
      `--result: cannot read ${path}, and nothing was decided: ${(error as Error).message}`,
    );
  }
}

/** The numbers in a JSON text, as they are written. */
function* numbersOf(json: string): Generator<string> {
  let inText = false;
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '"') inText = !inText;
    else if (!inText && !token.startsWith('\\')) yield token;
  }
}

/** An id of twenty digits, as other systems have them, would be recorded as another. A fraction is as near as it can be. */
function assertKept(written: string): void {
  const value = Number(written);
  if (decimalOf(written) === decimalOf(String(value))) return;
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new InvalidArgumentError(
      '--result: it holds a whole number that would be rounded, beyond 2^53, and nothing was decided; write it as a text',
    );
  }
  if (value === 0) {
    throw new InvalidArgumentError(
      '--result: it holds a number so small that it would be recorded as 0, and nothing was decided; write it as a text',
    );
  }
}

/** One form of all that a number without its sign may be written as: `12e1` of `120`, `1.2e2` and `120.0`. */
function decimalOf(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0 ? '0' : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
