/** A time in a message. What a row holds need not be one that a date has. */
export function timeText(at: Date): string {
  return Number.isNaN(at.getTime()) ? 'a time that is no date' : at.toISOString();
}
