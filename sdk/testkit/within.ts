/** The longest that a timer takes: beyond it, Node fires it at once. */
const MAX_MS = 2 ** 31 - 1;

/**
 * What work comes to, if it does in time. It is not stopped, only waited for no longer.
 *
 * @param ms no limit if it is 0, or more than a timer takes: as mocha has it
 * @throws what `late` makes, if it does not
 */
export async function within<T>(ms: number, work: () => Promise<T>, late: () => Error): Promise<T> {
  if (ms <= 0 || ms > MAX_MS) return work();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, ms);
  });
  try {
    return await Promise.race([work(), over]);
  } finally {
    clearTimeout(timer);
  }
}
