import { readFileSync } from 'node:fs';
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
  if (hasRoundedNumber(text)) {
    throw new InvalidArgumentError(
      '--result: it holds a whole number that would be rounded, beyond 2^53, and nothing was decided; write it as a text',
    );
  }
  return result;
}

function parsed(given: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // What the parser says quotes the text, which may be a secret.
    const what = given.startsWith('@') ? `what ${given.slice(1)} holds` : 'it';
    throw new InvalidArgumentError(`--result: ${what} is not JSON, and nothing was decided; quote texts: '"done"'`);
  }
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

/** An id of twenty digits, as other systems have them, would be recorded as another. */
function hasRoundedNumber(json: string): boolean {
  let inText = false;
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '"') inText = !inText;
    else if (!inText && /^-?\d+$/.test(token) && BigInt(token) !== BigInt(Number(token))) return true;
  }
  return false;
}
