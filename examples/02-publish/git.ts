import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The settings of whoever runs this stay out of it: no hooks, no signing, no question at a terminal; and no `GIT_DIR`,
 * which a hook of theirs would hand down, and which would send all of this to their own repository.
 */
const ENV = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};

/** Runs git in a repository, and returns what it printed. */
export async function git(repository: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  const { stdout } = await run('git', ['-C', repository, ...args], { env: ENV, ...(signal ? { signal } : {}) });
  return stdout.trimEnd();
}

/** Runs git in a repository with a text as its input. */
export async function gitWithInput(repository: string, args: readonly string[], input: string): Promise<void> {
  const running = run('git', ['-C', repository, ...args], { env: ENV });
  running.child.stdin?.end(input);
  await running;
}
