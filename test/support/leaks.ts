import { readdirSync, readlinkSync } from 'node:fs';
import { liveChildren } from './child.js';
import { TEMP_PREFIX } from './world.js';

/** After each test: no database is left open (its heartbeat's connection included), and no child process is left. */
export const mochaHooks = {
  afterEach(): void {
    const files = openFiles().filter((path) => path.includes(TEMP_PREFIX));
    if (files.length > 0) throw new Error(`the test left files open: ${files.join(', ')}`);
    const children = liveChildren();
    if (children.length > 0) throw new Error(`the test left processes running: ${children.join(', ')}`);
  },
};

/** The files that this process has open, where the system tells. */
function openFiles(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}
