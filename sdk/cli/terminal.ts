import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { escapeText } from '../../core/model/escape-text.js';

const GAP = '  ';
/** A longer name does not push the values of the others away. */
const MAX_LABEL = 40;
/** The styles that are set here; text of others has none when it is printed. */
// eslint-disable-next-line no-control-regex
const STYLING = /(\u001B\[\d+m)/;
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

type Format = Parameters<typeof styleText>[0];

/** A text, and how it looks on a terminal that has colours. */
export interface Styled {
  readonly text: string;
  readonly style: Format;
}

export type Cell = string | Styled;

/** One name and what it is. */
export type Fact = readonly [name: string, value: Cell];

/** Where a command reads and writes. */
export interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Lines for people.
 *
 * Everything that is written passes `escapeText` here, and nowhere else: what a model, a tool or a person wrote cannot
 * move the cursor, hide or recolour anything. Colours only on a terminal, and not where NO_COLOR is set.
 */
export class Terminal {
  readonly #colours: boolean;

  constructor(
    private readonly out: NodeJS.WriteStream,
    env: NodeJS.ProcessEnv,
  ) {
    this.#colours = out.isTTY && !env.NO_COLOR;
  }

  line(cell: Cell = '', indent = 0): void {
    this.#write(this.#render(cell), indent, GAP.length);
  }

  /** Names and values, one below the other. */
  facts(facts: readonly Fact[], indent = 0): void {
    const widths = facts.map(([name]) => stringWidth(escapeText(name)));
    const width = widths.reduce((most, one) => (one <= MAX_LABEL ? Math.max(most, one) : most), 0);
    for (const [at, [name, value]] of facts.entries()) {
      const padding = ' '.repeat(Math.max(0, width - (widths[at] ?? 0)));
      const label = this.#render({ text: name, style: 'dim' }) + padding;
      this.#write(`${label}${GAP}${this.#render(value)}`, indent, width + GAP.length);
    }
  }

  /** Aligned columns below their names. */
  table(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
    const widths = head.map((name, at) => {
      return Math.max(stringWidth(name), ...rows.map((row) => stringWidth(escapeText(textOf(row[at] ?? '')))));
    });
    const write = (cells: readonly Cell[]): void => {
      const padded = cells.map((cell, at) => {
        return this.#render(cell) + ' '.repeat((widths[at] ?? 0) - stringWidth(escapeText(textOf(cell))));
      });
      this.#write(padded.join(GAP), 0, GAP.length);
    };
    write(head.map((text) => ({ text, style: 'dim' })));
    rows.forEach(write);
  }

  /**
   * One line. Where a terminal would break it, it is broken here, and what follows is indented: a long text cannot look
   * like lines of its own.
   */
  #write(text: string, indent: number, hanging: number): void {
    const margin = GAP.repeat(indent);
    const room = (this.out.columns || Infinity) - margin.length;
    const deep = hanging < room / 2 ? hanging : GAP.length;
    const lines = folded(text.trimEnd(), room, deep).map(
      (line, at) => margin + (at === 0 ? '' : ' '.repeat(deep)) + line,
    );
    this.out.write(`${lines.join('\n')}\n`);
  }

  #render(cell: Cell): string {
    const text = escapeText(textOf(cell));
    return this.#colours && typeof cell !== 'string' ? styleText(cell.style, text) : text;
  }
}

/** A text in lines: the first as wide as there is room, the others narrower. What sets a style takes no room. */
function folded(text: string, room: number, narrower: number): string[] {
  if (room <= 2 * GAP.length || stringWidth(text) <= room) return [text];
  const lines: string[] = [];
  let [line, width] = ['', 0];
  for (const part of text.split(STYLING).flatMap(printed)) {
    const wide = stringWidth(part);
    if (width + wide > room - (lines.length > 0 ? narrower : 0)) {
      lines.push(line);
      [line, width] = ['', 0];
    }
    line += part;
    width += wide;
  }
  return [...lines, line];
}

/** What is printed as one: a style, or a character with its marks. */
function printed(part: string, at: number): string[] {
  return at % 2 === 1 ? [part] : Array.from(CHARACTERS.segment(part), ({ segment }) => segment);
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}
