import { readdirSync, readlinkSync } from 'node:fs';
import { liveChildren } from './child.js';
import { TEMP_PREFIX } from './temp-prefix.js';

/** Rejections that nobody handled: each would end a real process, and mocha 12 swallows them. */
const lost: unknown[] = [];

/**
 * After each test: no database is left open (its heartbeat's connection included), no child process is left, and no
 * rejection was lost.
 *
 * The listener is set for each file anew: a worker of mocha takes every listener away between two files.
 */
export const mochaHooks = {
  beforeAll(): void {
    process.on('unhandledRejection', lose);
  },

  afterEach(): void {
    const files = openFiles().filter((path) => path.includes(TEMP_PREFIX));
    if (files.length > 0) throw new Error(`the test left files open: ${files.join(', ')}`);
    const children = liveChildren();
    if (children.length > 0) throw new Error(`the test left processes running: ${children.join(', ')}`);
    assertNoneLost();
  },

  afterAll(): void {
    process.off('unhandledRejection', lose);
    assertNoneLost();
  },
};

function lose(reason: unknown): void {
  // Mocha emits each of them a second time.
  if (!lost.includes(reason)) lost.push(reason);
}

function assertNoneLost(): void {
  const reasons = lost.splice(0);
  if (reasons.length > 0)
    throw new AggregateError(reasons, `nobody handled a rejection: ${reasons.map(String).join(', ')}`);
}

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
