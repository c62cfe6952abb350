import { OutcomeUnknownError } from 'holdpoint';
import { git } from './git.js';

/** What `git push` exits with if the remote answered, and refused. */
const REFUSED = 1;

/** A branch of a git repository elsewhere, as the tools see it. */
export class Remote {
  /**
   * @param clone a repository that holds the commits
   * @param url where they are pushed to
   */
  constructor(
    private readonly clone: string,
    private readonly url: string,
  ) {}

  /**
   * Pushes a commit, which the remote takes whole or not at all.
   *
   * @throws OutcomeUnknownError if the remote did not say what became of it
   */
  async push(branch: string, commit: string, signal: AbortSignal): Promise<void> {
    try {
      await git(this.clone, ['push', '--porcelain', this.url, `${commit}:${ref(branch)}`], signal);
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === REFUSED) {
        throw new Error(`the remote refused ${branch}`, { cause });
      }
      throw new OutcomeUnknownError('the remote did not say whether it took the push', { cause });
    }
  }

  /** The commit at which a branch stands; null if there is no such branch. */
  async commitOf(branch: string): Promise<string | null> {
    const line = await git(this.clone, ['ls-remote', this.url, ref(branch)]);
    return line === '' ? null : (line.split('\t')[0] ?? null);
  }
}

/** The full name: `ls-remote` takes a short one for every ref that ends in it. */
function ref(branch: string): string {
  return `refs/heads/${branch}`;
}
