const NAME_WIDTH = 13;

/**
 * Text with every character that could move the cursor, hide text or reorder it written as its escape.
 *
 * What models, customers and people wrote goes through here before it reaches a terminal.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** Where the story is told. */
export class Screen {
  #scenes = 0;
  #muted = false;

  constructor(private readonly out: NodeJS.WritableStream) {}

  /** Nothing more is written. */
  mute(): void {
    this.#muted = true;
  }

  title(text: string): void {
    this.#line(text);
  }

  /** A numbered heading. */
  scene(text: string): void {
    this.#scenes += 1;
    this.#line();
    this.#line(`${this.#scenes}. ${text}`);
    this.#line();
  }

  fact(name: string, value: string): void {
    this.#line(`   ${name.padEnd(NAME_WIDTH)} ${printable(value)}`);
  }

  #line(text = ''): void {
    if (!this.#muted) this.out.write(`${text}\n`);
  }
}
