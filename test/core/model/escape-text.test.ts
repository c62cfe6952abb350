import { expect } from 'chai';
import fc from 'fast-check';
import { escapeText } from '../../../core/model/escape-text.js';

const hex = (text: string): string => Array.from(text, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`).join('');

describe('text before it reaches a terminal', () => {
  const ORDINARY: Readonly<Record<string, string>> = {
    English: 'Refund order A-8891: $64.00 (2 × 32.00), “quoted”',
    French: 'Où est le reçu\u00A0? À l’intérieur\u202F!',
    'decomposed Vietnamese': 'Vie\u0323\u0302t Nam'.normalize('NFD'),
    Hebrew: 'בְּרֵאשִׁ֖ית בָּרָ֣א',
    Arabic: 'مرحبا بالعالم',
    'Persian, with its joiner': 'می\u200Cخواهم',
    'Hindi, with its joiner': 'क्\u200Dष और श्री',
    Thai: 'กินข้าวที่นี่',
    Tibetan: 'བོད་སྐད་',
    Japanese: '葛\u{E0100}飾区\u3000ラーメン',
    Korean: '안녕하세요',
    Chinese: '订单退款',
    emoji: '👍🏽 👩🏾‍🚀 👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 1️⃣ ☎️ ❤️‍🔥',
    mathematics: '∑ᵢ xᵢ² ≤ ε',
  };

  for (const [language, text] of Object.entries(ORDINARY)) {
    it(`passes as it is: ${language}`, () => {
      expect(escapeText(text)).to.equal(text);
    });
  }

  const HIDDEN: Readonly<Record<string, string>> = {
    'a line that is overwritten': 'amount: 64\r',
    'a colour': '\u001B[32mapproved\u001B[0m',
    'a colour of one byte': '\u009B32m',
    'a title': '\u001B]0;root\u0007',
    'a backspace': '99\b\b',
    'a right-to-left override': 'txt.\u202Egpj',
    'bidirectional isolates': '\u2066x\u2069\u2067y\u2068',
    'marks of direction': '\u200E\u200F\u061C',
    'a zero-width space': 'pay\u200Bpal',
    'a joiner between Latin letters': 'pay\u200Dpal\u200C',
    'two joiners in Persian': 'ی\u200C\u200Cخ',
    'a word joiner and a byte order mark': '\u2060\uFEFF',
    'a soft hyphen': 'pay\u00ADpal',
    'tag characters': 'hello\u{E0001}\u{E0068}\u{E0069}',
    'tags after a flag that is none': '🏴\u{E0068}\u{E0069}\u{E007F}',
    'variation selectors that select nothing': 'a\uFE00\uFE0F\u{E0100}',
    'a second selector after an ideograph': '葛\u{E0100}\u{E0101}',
    'the Hangul filler': 'a\u3164b\u115F\u1160\uFFA0',
    'a joiner of marks that nobody sees': 'pay\u034Fpal',
    'an empty Braille cell': '\u2800',
    'separators of lines and paragraphs': 'a\u2028b\u2029c',
    'a mark with nothing below it': '\u0301x',
    'a heap of marks': `a${'\u0301'.repeat(40)}`,
    'private use': '\uE000\u{F0000}',
    'a code point that is no character': '\uFFFF\u{1FFFF}',
    'a lone surrogate': 'a\uD800b',
    'a NUL': 'a\0b',
  };

  for (const [what, text] of Object.entries(HIDDEN)) {
    it(`is escaped where it holds ${what}`, () => {
      const shown = escapeText(text);
      expect(shown).to.not.equal(text);
      expect(shown).to.include('\\');
      expect(shown).to.not.match(/[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]|\uFE00|\uFE0F/u);
    });
  }

  it('shows what was there by its code points, and keeps the rest', () => {
    expect(escapeText('txt.\u202Egpj')).to.equal(`txt.${hex('\u202E')}gpj`);
    expect(escapeText('a\nb\tc\r')).to.equal('a\\nb\\tc\\r');
    expect(escapeText(`a${'\u0301'.repeat(6)}b`)).to.equal(`a${'\u0301'.repeat(4)}${hex('\u0301\u0301')}b`);
    expect(escapeText('🏴\u{E0068}')).to.equal(`🏴${hex('\u{E0068}')}`);
  });

  it('is printable, whatever the text, and the same when it is escaped again', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('a', '\u0301', '\u200D', '\uFE0F', '👩', '🚀', '葛') }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const shown = escapeText(text);
        expect(shown).to.not.match(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u);
        expect(shown).to.not.match(/[\u200B\u200E\u200F\u2060-\u2064\u202A-\u202E\u2066-\u2069\uFEFF\u00AD]/u);
        expect(escapeText(shown)).to.equal(shown);
      }),
      { numRuns: 2_000 },
    );
  });
});
