import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';

/**
 * Every name that a user may import, by entry point: adding one is a promise, and taking one away breaks somebody.
 *
 * A change that is meant is made in the list too.
 */

const ROOT = new URL('../../../', import.meta.url);
const SNAPSHOT = new URL('test/sdk/exports.txt', ROOT);

interface Entry {
  readonly types: string;
  readonly default: string;
}

/** The entry points of the package, by the name that they are imported under. */
function entries(): [name: string, entry: Entry][] {
  const { name, exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
    name: string;
    exports: Record<string, Entry | string>;
  };
  return Object.entries(exports).flatMap(([path, entry]): [string, Entry][] =>
    typeof entry === 'string' ? [] : [[`${name}${path.slice(1)}`, entry]],
  );
}

/** The names that TypeScript sees in each file, types among them. */
function declaredNames(files: readonly string[]): string[][] {
  const options = { module: ts.ModuleKind.NodeNext, skipLibCheck: true, types: [] };
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  return files.map((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!);
    return checker.getExportsOfModule(module!).map((symbol) => symbol.name);
  });
}

describe('what a user may import', () => {
  it('is what the list says, from every entry point', async () => {
    const found = entries();
    const names = declaredNames(found.map(([, { types }]) => fileURLToPath(new URL(types, ROOT))));
    const lines: string[] = [];
    for (const [at, [name, entry]] of found.entries()) {
      const values = Object.keys((await import(new URL(entry.default, ROOT).href)) as object);
      expect(names[at], name).to.include.members(values);
      lines.push(...names[at]!.map((one) => `${name} ${values.includes(one) ? 'value' : 'type'} ${one}`));
    }
    const listed = readFileSync(SNAPSHOT, 'utf8').trimEnd().split('\n');
    expect(lines.sort(), `as listed in ${fileURLToPath(SNAPSHOT)}`).to.deep.equal(listed);
  }).timeout(60_000);

  it('is nothing else of the package: no file in it, but for its own description', async () => {
    expect(import.meta.resolve('holdpoint/package.json')).to.match(/package\.json$/);
    const inside = 'holdpoint/dist/core/errors.js';
    const error = await import(inside).then(String, (thrown: unknown) => thrown as NodeJS.ErrnoException);
    expect(error).to.have.property('code', 'ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});
