import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, seen from `dist/test/docs`. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A fenced block of a page, with the hidden marker above it, if it has one: `<!-- file: main.ts -->`. */
export interface Block {
  readonly language: string;
  readonly marker: string | null;
  /** The line of its opening fence; 1 for the page's first. */
  readonly line: number;
  readonly text: string;
}

/** One Markdown file of the repository. */
export interface Page {
  /** From the root of the repository, e.g. `docs/guide.md`. */
  readonly path: string;
  readonly text: string;
}

const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
const FENCED =
  /(?<above>(?:^<!-- (?<marker>.+) -->\n+)?)^(?<fence>`{3,})(?<language>\w*)\n(?<content>[\s\S]*?)^\k<fence>$/gm;

/** Every page, the README first: later ones may build on its snippets. */
export function pages(): Page[] {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
  return [...PAGES, ...docs].map(page);
}

export function page(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

/** The fenced blocks of a page, in order. */
export function blocksOf({ text }: Page): Block[] {
  return [...text.matchAll(FENCED)].map(({ index, groups = {} }) => {
    const { marker = null, above = '', language = '', content = '' } = groups;
    return { language, marker, line: text.slice(0, index + above.length).split('\n').length, text: content };
  });
}

/** The page without its fenced blocks, hidden comments and inline code: what is prose. */
export function proseOf({ text }: Page): string {
  return text
    .replace(FENCED, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/`[^`\n]*`/g, '');
}

/** The rows of every table of a page, cell by cell. */
export function rowsOf({ text }: Page): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

/** The anchors of a page, as GitHub makes them of its headings. */
export function anchorsOf({ text }: Page): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = [...text.replace(FENCED, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set(anchors);
}

/** What a link of a page points to: a path from the root, and an anchor. */
export function resolved({ path }: Page, target: string): { path: string; anchor: string | null } {
  const [file = '', anchor = null] = target.split('#');
  return { path: file === '' ? path : join(dirname(path), decodeURIComponent(file)), anchor };
}
