/** Text of a user's code as it can be recorded: a lone surrogate, which has no UTF-8 form, is written as its escape. */
export function recordable(text: string): string {
  return text.replace(/\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

/** What was thrown, as a name and a message. */
export function describeThrown(thrown: unknown): { readonly name: string; readonly message: string } {
  if (thrown instanceof Error) return { name: recordable(thrown.name), message: recordable(thrown.message) };
  return { name: 'Error', message: recordable(`${typeof thrown} was thrown: ${printed(thrown)}`) };
}

function printed(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'it has no text';
  }
}
