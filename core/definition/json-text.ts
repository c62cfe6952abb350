import { lossOf, type Loss } from '../model/exact-number.js';
import type { Json } from '../model/json.js';
import type { Problem } from '../model/step.js';
import { recordable } from '../model/text.js';
import { memberPath } from './paths.js';

/** A JSON text as it was read. `value` is missing if it is not JSON at all. */
export interface ReadText {
  readonly value?: Json;
  readonly problems: readonly TextProblem[];
}

/** What is wrong with a text, for readers that say it in other words. */
export interface TextProblem extends Problem {
  readonly kind: 'syntax' | Altered;
}

/** What `JSON.parse` makes something else of, in silence. */
type Altered = 'repeated' | Loss;

const ALTERED: Readonly<Record<Altered, string>> = {
  repeated: 'is given more than once',
  rounded: 'is a whole number beyond 2^53 that would be rounded; write it as a text',
  zero: 'is so small a number that it would become 0; write it as a text',
};

/** A path ends at a depth at which arguments are refused, and of so many problems no more are told: both take their time. */
const MAX_DEPTH = 256;
const MAX_PATHS = 1_000;

/**
 * Reads the JSON text that a model wrote.
 *
 * `JSON.parse` says what is JSON; in silence it keeps the last of two members of one name and rounds numbers, so both are
 * looked for besides. Neither recurses: any depth is read.
 */
export function readJsonText(text: string, root: string): ReadText {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    return { problems: [{ kind: 'syntax', path: root, message: `is not valid JSON: ${reasonOf(error)}` }] };
  }
  return { value, problems: alteredIn(text, root) };
}

/** Why V8 did not parse it, without the piece of the text that it may quote. */
function reasonOf(error: unknown): string {
  const reason = (error as SyntaxError).message.replace(/(, (\.\.\.)?".*)? is not valid JSON$/s, '');
  return recordable(reason);
}

/** Members whose name occurred before in the same object, and numbers that are not kept. The text is valid JSON. */
function alteredIn(text: string, root: string): TextProblem[] {
  const scan = new TextScan(root);
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') {
      const end = endOfString(text, index);
      scan.string(text.slice(index, end));
      index = end - 1;
    } else if (/[-\d]/.test(text.charAt(index))) {
      const end = endOfNumber(text, index);
      scan.number(text.slice(index, end));
      index = end - 1;
    } else {
      scan.punctuation(text[index]);
    }
  }
  return scan.problems;
}

/** An array or object that is open at some point of the text; `names` is null for an array. */
interface Level {
  readonly names: Set<string> | null;
  at: string | number;
}

class TextScan {
  readonly problems: TextProblem[] = [];
  readonly #root: string;
  readonly #open: Level[] = [];
  #startsMember = false;

  constructor(root: string) {
    this.#root = root;
  }

  punctuation(char: string | undefined): void {
    const level = this.#open.at(-1);
    if (char === '{') this.#open.push({ names: new Set(), at: '' });
    else if (char === '[') this.#open.push({ names: null, at: 0 });
    else if (char === '}' || char === ']') this.#open.pop();
    else if (char === ',' && typeof level?.at === 'number') level.at += 1;
    if (char === '{' || char === ',') this.#startsMember = true;
  }

  string(quoted: string): void {
    const level = this.#open.at(-1);
    if (!this.#startsMember || !level?.names) return;
    this.#startsMember = false;
    level.at = JSON.parse(quoted) as string;
    if (level.names.has(level.at)) this.#found('repeated');
    level.names.add(level.at);
  }

  number(written: string): void {
    const loss = lossOf(written);
    if (loss !== null) this.#found(loss);
  }

  #found(kind: Altered): void {
    const path = this.problems.length < MAX_PATHS ? this.#path() : this.#root;
    this.problems.push({ kind, path, message: ALTERED[kind] });
  }

  #path(): string {
    return this.#open
      .slice(0, MAX_DEPTH)
      .reduce((path, { at }) => (typeof at === 'number' ? `${path}[${at}]` : memberPath(path, at)), this.#root);
  }
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

function endOfNumber(text: string, start: number): number {
  const number = /[\d.eE+-]+/y;
  number.lastIndex = start;
  number.exec(text);
  return number.lastIndex;
}
