/** Far more than anything here takes: a test that hangs is to say where, and to be shrunk like any other failure. */
const HUNG_MS = 10_000;

/** @throws if the promise is not settled within that time */
export async function unlessHung<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(what)), HUNG_MS);
  });
  try {
    return await Promise.race([promise, hung]);
  } finally {
    clearTimeout(timer);
  }
}
