/** A process of a user who owns nothing: it tries to open a store in both ways, and says how that went. */
import { Client, HoldpointError, Runtime } from 'holdpoint';

export interface Tried {
  readonly by: string;
  /** The error's name, or `opened`. */
  readonly name: string;
  readonly message: string;
  readonly typed: boolean;
}

const [, , file, uid] = process.argv;

if (file !== undefined) void report(file, Number(uid));

async function report(path: string, user: number): Promise<void> {
  // All code is loaded before the privileges go: it may lie where only its owner can read.
  await (await Runtime.open({ store: ':memory:', agents: [] })).close();
  if (process.getuid?.() === 0) process.setuid?.(user);
  const tried = [
    await attempt('runtime', () => Runtime.open({ store: path, agents: [] })),
    await attempt('client', () => Client.open({ store: path })),
  ];
  process.send?.(tried, () => process.disconnect());
}

async function attempt(by: string, open: () => Promise<{ close(): Promise<void> }>): Promise<Tried> {
  try {
    await (await open()).close();
    return { by, name: 'opened', message: '', typed: true };
  } catch (error) {
    const { name, message } = error as Error;
    return { by, name, message, typed: error instanceof HoldpointError };
  }
}
