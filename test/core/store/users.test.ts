import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { InsecureStoreError } from 'holdpoint';
import { scripted } from '../../support/agents.js';
import { Child } from '../../support/child.js';
import { rejection, World } from '../../support/world.js';
import { contents } from './contents.js';
import type { Tried } from './unprivileged.js';

const AGENT = scripted('noop', [], [{ kind: 'complete' }]);

const NOBODY = 65_534;
const AM_ROOT = process.getuid?.() === 0;
const MAY_ENTER = 0o001;

/** What another user is to try needs a way there. */
function assertReachable(dir: string): void {
  for (let at = dir; dirname(at) !== at; at = dirname(at)) {
    if (AM_ROOT && (statSync(at).mode & MAY_ENTER) === 0) {
      throw new Error(
        `other users may not enter ${at}, so this cannot be tested; let TMPDIR be a folder that they may`,
      );
    }
  }
}

/** How it went for a user who is not root, in both ways: on this machine that may be the tests' own. */
async function triedOn(file: string): Promise<Tried[]> {
  assertReachable(dirname(dirname(file)));
  const child = new Child(new URL('./unprivileged.js', import.meta.url), [file, String(NOBODY)]);
  const tried = await child.next<Tried[]>();
  await child.exited;
  return tried;
}

if (process.getuid) {
  describe('a store that its user may not write', () => {
    let world: World;
    beforeEach(async () => {
      world = new World();
      const { runtime } = await world.open([AGENT]);
      await runtime.close();
      chmodSync(world.dir, 0o755);
      if (AM_ROOT) chownSync(world.file, NOBODY, NOBODY);
    });
    afterEach(() => {
      chmodSync(world.dir, 0o755);
      return world.close();
    });

    it('S1: a file that may only be read is refused in words, and not touched', async () => {
      chmodSync(world.file, 0o444);
      chmodSync(world.dir, 0o555);
      const before = contents(world.dir);
      for (const { name, message } of await triedOn(world.file)) {
        expect(`${name}: ${message}`).to.match(/StoreError: cannot open .*runs\.db: the file .*permissions.*SQLITE_/);
      }
      expect(contents(world.dir)).to.deep.equal(before);
    });

    it('S1: a file that may not be read is refused in words', async () => {
      chmodSync(world.file, 0o000);
      for (const { name, message } of await triedOn(world.file)) {
        expect(`${name}: ${message}`).to.match(
          /StoreError: cannot open .*runs\.db: the file cannot be opened.*SQLITE_CANTOPEN/,
        );
      }
    });

    it('S1: a folder that may not be written to is refused in words, and stays as it was', async () => {
      const folder = join(world.dir, 'locked');
      mkdirSync(folder, { mode: 0o555 });
      const [runtime, client] = await triedOn(join(folder, 'new.db'));
      expect(`${runtime?.name}: ${runtime?.message}`).to.match(/StoreError: cannot create .*new\.db: EACCES/);
      expect(client?.name).to.equal('NotFoundError');
      expect(readdirSync(folder)).to.deep.equal([]);
    });

    it('S1: a folder that may not be looked into is refused in words', async () => {
      const folder = join(world.dir, 'hidden');
      mkdirSync(folder, { mode: 0o000 });
      const tried = await triedOn(join(folder, 'new.db'));
      for (const { name, message } of tried) {
        expect(`${name}: ${message}`).to.match(/StoreError: cannot look at .*new\.db: EACCES/);
      }
    });
  });
}

if (AM_ROOT) {
  describe('a store with a file of another user', () => {
    const SOMEBODY = 4_001;
    const SOMEBODY_ELSE = 4_002;
    const ROOT = 0;
    let world: World;
    beforeEach(async () => {
      world = new World();
      const { runtime } = await world.open([AGENT]);
      await runtime.close();
    });
    afterEach(() => world.close());

    /** The folder and the database, which others can read. */
    function belongsTo(owner: number): void {
      for (const path of [world.dir, world.file]) chownSync(path, owner, owner);
      chmodSync(world.dir, 0o755);
      chmodSync(world.file, 0o644);
    }

    function plant(suffix: string, owner: number): void {
      writeFileSync(world.file + suffix, '', { mode: 0o644 });
      chownSync(world.file + suffix, owner, owner);
    }

    it('S1: its owner opens it', async () => {
      belongsTo(NOBODY);
      expect((await triedOn(world.file)).map(({ name }) => name)).to.deep.equal(['opened', 'opened']);
    });

    it('S1: a database is refused to whoever does not own it, and not touched', async () => {
      belongsTo(SOMEBODY);
      const before = contents(world.dir);
      for (const { name, message } of await triedOn(world.file)) {
        expect(`${name}: ${message}`).to.match(
          /InsecureStoreError: .*runs\.db belongs to user 4001, not to user 65534, and was not opened; .*as its owner/,
        );
      }
      expect(contents(world.dir)).to.deep.equal(before);
    });

    for (const [suffix, planter] of [
      ['-wal', SOMEBODY],
      ['-shm', SOMEBODY],
      ['-journal', ROOT],
    ] as const) {
      it(`S1: a ${suffix} of user ${planter} beside a user's database is refused, and not touched`, async () => {
        belongsTo(NOBODY);
        plant(suffix, planter);
        const before = contents(world.dir);
        for (const { name, message } of await triedOn(world.file)) {
          expect(`${name}: ${message}`).to.match(
            new RegExp(
              `InsecureStoreError: .*runs\\.db${suffix} belongs to user ${planter}, not to user 65534, and was`,
            ),
          );
        }
        expect(contents(world.dir)).to.deep.equal(before);
      });
    }

    it('S1: a -wal of another user that lies in wait for a new database is refused', async () => {
      belongsTo(NOBODY);
      rmSync(world.file);
      plant('-wal', SOMEBODY);
      for (const { name } of await triedOn(world.file)) expect(name).to.equal('InsecureStoreError');
      expect(readdirSync(world.dir)).to.deep.equal(['runs.db-wal']);
    });

    it('S1: root opens what another user owns; beside it may be files of that user and of root', async () => {
      belongsTo(SOMEBODY);
      for (const owner of [SOMEBODY, ROOT]) {
        plant('-wal', owner);
        await (await world.client()).close();
      }
    });

    it('S1: root refuses a file beside it of a third user', async () => {
      belongsTo(SOMEBODY);
      plant('-wal', SOMEBODY_ELSE);
      for (const opening of [() => world.open([AGENT]), () => world.client()]) {
        const error = await rejection(opening());
        expect(error).to.be.instanceOf(InsecureStoreError);
        expect(error.message).to.match(/runs\.db-wal belongs to user 4002, not to user 4001, and was not opened/);
      }
    });
  });
}
