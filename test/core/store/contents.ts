import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every file under a folder, and what is in it. */
export function contents(dir: string): Record<string, string> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path).toString('base64') : 'not a file'];
    }),
  );
}
