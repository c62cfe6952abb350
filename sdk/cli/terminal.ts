import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { escapeText } from '../../core/model/escape-text.js';

const GAP = '  ';

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
    this.out.write(`${GAP.repeat(indent)}${this.#render(cell)}`.trimEnd() + '\n');
  }

  /** Names and values, one below the other. */
  facts(facts: readonly Fact[], indent = 0): void {
    const width = Math.max(0, ...facts.map(([name]) => stringWidth(escapeText(name))));
    for (const [name, value] of facts) {
      const padding = ' '.repeat(width - stringWidth(escapeText(name)));
      const label = this.#render({ text: name, style: 'dim' }) + padding;
      this.out.write(`${GAP.repeat(indent)}${label}${GAP}${this.#render(value)}`.trimEnd() + '\n');
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
      this.out.write(padded.join(GAP).trimEnd() + '\n');
    };
    write(head.map((text) => ({ text, style: 'dim' })));
    rows.forEach(write);
  }

  #render(cell: Cell): string {
    const text = escapeText(textOf(cell));
    return this.#colours && typeof cell !== 'string' ? styleText(cell.style, text) : text;
  }
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}
