/** Text of a user's code as it can be recorded: a lone surrogate, which has no UTF-8 form, is written as its escape. */
export function recordable(text: string): string {
  return text.replace(/\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

/** What was thrown, as a name and a message. Nothing is thrown here, whatever it is that was. */
export function describeThrown(thrown: unknown): { readonly name: string; readonly message: string } {
  const error = read(() =>
    thrown instanceof Error ? { name: printed(thrown.name), message: printed(thrown.message) } : null,
  );
  return (
    error ?? {
      name: 'Error',
      message: `${typeof thrown} was thrown: ${read(() => printed(thrown)) ?? 'it has no text'}`,
    }
  );
}

/** Whether what a user's code threw is of this class. It may be a proxy that cannot even be asked. */
export function isInstance<T>(thrown: unknown, cls: abstract new (...args: never[]) => T): thrown is T {
  return read(() => thrown instanceof cls) ?? false;
}

function printed(value: unknown): string {
  return recordable(String(value));
}

function read<T>(get: () => T): T | null {
  try {
    return get();
  } catch {
    return null;
  }
}
