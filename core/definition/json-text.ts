import type { Json } from '../model/json.js';
import type { Problem } from '../model/step.js';
import { recordable } from '../model/text.js';
import { memberPath } from './paths.js';

/** A JSON text as it was read. `value` is missing if it is not JSON at all. */
export interface ReadText {
  readonly value?: Json;
  readonly problems: readonly Problem[];
}

/**
 * Reads the JSON text that a model wrote.
 *
 * `JSON.parse` says what is JSON; it keeps the last of two members of one name in silence, so those are looked for besides.
 * Neither recurses: any depth is read.
 */
export function readJsonText(text: string, root: string): ReadText {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    return { problems: [{ path: root, message: `is not valid JSON: ${reasonOf(error)}` }] };
  }
  const message = 'is given more than once';
  return { value, problems: repeatedMembers(text, root).map((path) => ({ path, message })) };
}

/** Why V8 did not parse it, without the piece of the text that it may quote. */
function reasonOf(error: unknown): string {
  const reason = (error as SyntaxError).message.replace(/(, (\.\.\.)?".*)? is not valid JSON$/s, '');
  return recordable(reason);
}

/** The paths of members whose name occurred before in the same object. The text is valid JSON. */
function repeatedMembers(text: string, root: string): string[] {
  const scan = new MemberScan(root);
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') {
      const end = endOfString(text, index);
      scan.string(text.slice(index, end));
      index = end - 1;
    } else {
      scan.punctuation(text[index]);
    }
  }
  return scan.repeated;
}

/** An array or object that is open at some point of the text; `names` is null for an array. */
interface Level {
  readonly names: Set<string> | null;
  at: string | number;
}

class MemberScan {
  readonly repeated: string[] = [];
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
    if (level.names.has(level.at)) this.repeated.push(this.#path());
    level.names.add(level.at);
  }

  #path(): string {
    return this.#open.reduce(
      (path, { at }) => (typeof at === 'number' ? `${path}[${at}]` : memberPath(path, at)),
      this.#root,
    );
  }
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}
