/** Combining marks in a row on one letter; what any script needs. */
const MARKS = 4;

/** Scripts whose words hold joiners: Persian, Mongolian and the Indic ones. */
const JOINED = `[${[
  'Arabic',
  'Syriac',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('')}]`;

/** What looks like nothing: the Hangul fillers, selectors of variants, joiners of marks; and the empty Braille cell. */
const BLANKS = '\\p{Default_Ignorable_Code_Point}\\u2800';
const IDEOGRAPH_SELECTORS = '\\u{E0100}-\\u{E01EF}';

/** What would be hidden, were it not where it is. */
const ORDINARY = [
  '\\p{RGI_Emoji}',
  `(?<=${JOINED})[\\u200C\\u200D](?=${JOINED})`,
  `(?<=\\p{Script=Han})[${IDEOGRAPH_SELECTORS}]`,
];

const HIDDEN = [
  `[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}${BLANKS}]`,
  // At the start of a text a mark would sit on what is printed before it.
  '(?<![\\s\\S])\\p{M}+',
  `(?<=\\p{M}{${MARKS}})\\p{M}+`,
];

/** Emoji sequences need the `v` flag, which no literal may have before ES2024. */
const SPECIAL = new RegExp(`(${ORDINARY.join('|')})|${HIDDEN.join('|')}`, 'gv');

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text of a model, a tool, a policy or a person, before it reaches a terminal: on one line.
 *
 * Ordinary scripts and emoji pass. What moves the cursor, changes colours, reorders, hides or smuggles text is written as
 * its escape (`\n`, `\u{202e}`): control characters, bidirectional controls (CVE-2021-42574), zero-width and tag
 * characters, blanks that count as letters, variation selectors that select nothing, private and unassigned code points,
 * lone surrogates, and combining marks beyond what any script needs.
 *
 * @param write how a hidden character is written
 */
export function escapeText(text: string, write: (character: string) => string = escaped): string {
  return text.replace(SPECIAL, (match, ordinary?: string) => ordinary ?? Array.from(match, write).join(''));
}

function escaped(character: string): string {
  return SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
