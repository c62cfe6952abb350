/**
 * The world outside of the agent, as files of one folder: a bare repository that is pushed to, a clone that holds the
 * commit to publish, and the forge's change requests. All of it outlives any process.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeRequest } from './change-requests.js';
import { withForge } from './forge.js';
import { git, gitWithInput } from './git.js';
import { Ledger } from './ledger.js';
import { Remote } from './remote.js';
import type { Pushed } from './release-agent.js';

const BRANCH = 'release/1.4.0';

/** Two commits with fixed names, times and contents, so that their hashes are the same every time. */
const HISTORY = `commit refs/heads/main
mark :1
committer Dana <dana@example.org> 1767225600 +0000
data 5
Start
M 644 inline VERSION
data 6
1.3.9

commit refs/heads/${BRANCH}
committer Dana <dana@example.org> 1767229200 +0000
data 13
Release 1.4.0
from :1
M 644 inline VERSION
data 6
1.4.0

`;

/** What can be seen outside. */
export interface Seen {
  /** Where the release branch stands on the remote; null if it is not there. */
  readonly commit: string | null;
  readonly changeRequests: readonly ChangeRequest[];
}

export class World {
  readonly remote: Remote;
  readonly clone: string;
  readonly url: string;

  private constructor(private readonly dir: string) {
    this.clone = join(dir, 'clone.git');
    this.url = join(dir, 'remote.git');
    this.remote = new Remote(this.clone, this.url);
  }

  /** The world of a folder, which is made there if it is not yet: each life of a process comes to the same one. */
  static async at(dir: string): Promise<World> {
    const world = new World(dir);
    if (!existsSync(world.url)) await world.#make();
    return world;
  }

  /** What is to be published. */
  async release(): Promise<Pushed> {
    return { branch: BRANCH, commit: await git(this.clone, ['rev-parse', BRANCH]) };
  }

  /** The forge, served by whoever reaches for it: it is gone with a killed process, and its file is not. */
  reachForge<T>(work: (url: string) => Promise<T>): Promise<T> {
    return withForge(this.#ledger, work);
  }

  async look(): Promise<Seen> {
    return { commit: await this.remote.commitOf(BRANCH), changeRequests: new Ledger(this.#ledger).all() };
  }

  get #ledger(): string {
    return join(this.dir, 'change-requests.jsonl');
  }

  async #make(): Promise<void> {
    const options = ['--quiet', '--bare', '--template=', '--initial-branch=main', '--object-format=sha1'];
    for (const name of ['clone.git', 'remote.git']) await git(this.dir, ['init', ...options, name]);
    await gitWithInput(this.clone, ['fast-import', '--quiet'], HISTORY);
    await git(this.clone, ['push', '--quiet', this.url, 'main']);
  }
}
