/** What becomes of a written number that a double cannot hold: another whole number, or nothing at all. */
export type Loss = 'rounded' | 'zero';

/**
 * What is lost of a number of a JSON text when it is read; null if it is kept.
 *
 * An id of twenty digits, as other systems have them, would be another id. A fraction is as near as it can be.
 */
export function lossOf(written: string): Loss | null {
  const value = Number(written);
  if (String(value) === written) return null;
  if (decimalOf(written) === decimalOf(String(value))) return null;
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return 'rounded';
  return value === 0 ? 'zero' : null;
}

/** One form of all that a number without its sign may be written as: `12e1` of `120`, `1.2e2` and `120.0`. */
function decimalOf(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0 ? '0' : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
