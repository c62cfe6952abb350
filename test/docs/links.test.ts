import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { anchorsOf, page, pages, proseOf, resolved, ROOT, type Page } from './pages.js';

/** The targets of a page's links within the repository. */
function linksOf(from: Page): string[] {
  const targets = [...proseOf(from).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/i.test(target));
}

function isBroken(from: Page, target: string): boolean {
  const { path, anchor } = resolved(from, target);
  if (path.startsWith('..') || !existsSync(join(ROOT, path))) return true;
  return anchor !== null && !anchorsOf(page(path)).has(anchor);
}

/** A link to a folder shows its README. */
function pageAt(path: string): string {
  const readme = join(path, 'README.md');
  return existsSync(join(ROOT, readme)) ? readme : path;
}

describe('the links of the documentation', () => {
  for (const from of pages()) {
    it(`lead somewhere: ${from.path}`, () => {
      expect(linksOf(from).filter((target) => isBroken(from, target))).to.deep.equal([]);
    });
  }

  it('reach every page from the README', () => {
    const reached = new Set(['README.md']);
    for (const path of reached) {
      if (!path.endsWith('.md')) continue;
      const from = page(path);
      for (const target of linksOf(from)) reached.add(pageAt(resolved(from, target).path));
    }
    const unreached = pages().filter(({ path }) => !reached.has(path));
    expect(unreached.map(({ path }) => path)).to.deep.equal([]);
  });
});
