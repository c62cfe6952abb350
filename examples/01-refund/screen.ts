import { styleText } from 'node:util';

const WIDTH = 100;
const INDENT = '  ';
const GAP = '  ';

type Style = Parameters<typeof styleText>[0];
export type Fact = readonly [name: string, value: string];

/**
 * Text with every character that could move the cursor, hide text or reorder it written as its escape.
 *
 * What models, tools and people wrote goes through here before it reaches a terminal.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** `1 charge`, `2 charges` */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Where the demo tells its story. Colours only on a terminal, the same text everywhere. */
export class Screen {
  readonly #colours: boolean;
  #scenes = 0;
  #muted = false;

  constructor(private readonly out: NodeJS.WriteStream) {
    this.#colours = out.isTTY && !process.env.NO_COLOR;
  }

  /** Nothing more is written. */
  mute(): void {
    this.#muted = true;
  }

  title(text: string): void {
    this.#line(this.#styled(['bold'], printable(text)));
  }

  /** A numbered heading. */
  scene(text: string): void {
    this.#scenes += 1;
    this.#line();
    this.#line(this.#styled(['bold', 'cyan'], `${this.#scenes}. ${printable(text)}`));
  }

  /** A paragraph. */
  say(text: string): void {
    this.#line();
    for (const line of wrapped(printable(text), WIDTH - INDENT.length)) this.#line(INDENT + line);
  }

  /** Names and values, one below the other. */
  facts(facts: readonly Fact[]): void {
    const width = Math.max(...facts.map(([name]) => name.length));
    const left = INDENT.length * 2 + width + GAP.length;
    this.#line();
    for (const [name, value] of facts) {
      const [first = '', ...more] = wrapped(printable(value), WIDTH - left);
      this.#line(INDENT + INDENT + this.#styled(['dim'], name.padEnd(width)) + GAP + first);
      for (const line of more) this.#line(' '.repeat(left) + line);
    }
  }

  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    const cells = rows.map((row) => row.map(printable));
    const widths = head.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)));
    const line = (row: readonly string[]): string => {
      return row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd();
    };
    this.#line();
    this.#line(INDENT + INDENT + this.#styled(['dim'], line(head)));
    for (const row of cells) this.#line(INDENT + INDENT + line(row));
  }

  #line(text = ''): void {
    if (!this.#muted) this.out.write(`${text}\n`);
  }

  #styled(style: Style, text: string): string {
    return this.#colours ? styleText(style, text) : text;
  }
}

/** Lines of at most `width` characters, broken between words. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
