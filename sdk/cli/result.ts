import { readFileSync } from 'node:fs';
import { readJsonText, type TextProblem } from '../../core/definition/json-text.js';
import { InvalidArgumentError } from '../../core/errors.js';
import { canonicalJson } from '../../core/model/canonical-json.js';
import type { Json } from '../../core/model/json.js';

/** What is wrong is not said in the reader's words: they name members, and the text may be a secret. */
const REFUSALS: Readonly<Record<Exclude<TextProblem['kind'], 'syntax'>, string>> = {
  repeated: 'it holds a member twice in one object, and nothing was decided; only the last would be recorded',
  rounded: 'it holds a whole number that would be rounded, beyond 2^53, and nothing was decided; write it as a text',
  zero: 'it holds a number so small that it would be recorded as 0, and nothing was decided; write it as a text',
};

/**
 * What a person says a call came to: JSON, or the name of a file after `@`.
 *
 * @throws InvalidArgumentError, InvalidJsonError if it is none, or would not be recorded as it was given
 */
export function resultOf(given: string): Json {
  const text = given.startsWith('@') ? readResult(given.slice(1)) : given;
  const result = parsed(given, text);
  canonicalJson(result, '--result');
  return result;
}

function parsed(given: string, text: string): Json {
  const { value, problems } = readJsonText(text, '--result');
  const kind = problems[0]?.kind;
  if (value === undefined || kind === 'syntax') {
    const what = given.startsWith('@') ? `what ${given.slice(1)} holds` : 'it';
    throw new InvalidArgumentError(`--result: ${what} is not JSON, and nothing was decided; quote texts: '"done"'`);
  }
  if (kind) throw new InvalidArgumentError(`--result: ${REFUSALS[kind]}`);
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
