import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { sharedClock } from '../clock.js';
import { Beat, type FromThread, type Renewal, type ThreadData, type ToThread } from './beat.js';
import { BEATS_PER_TTL, RENEW_SQL } from './renew.js';

/**
 * The heartbeat's thread (contract L3): it renews whatever the main thread is doing.
 *
 * Its own connection waits only briefly for a lock and tries again: a thread that is ended inside SQLite's busy wait
 * takes the process with it. It stops when told to, and is never terminated.
 */

const BUSY_TIMEOUT_MS = 250;
const RETRY_MS = 50;

const port = parentPort;
if (!port) throw new Error('this module runs in a worker thread');

const { database, nativeBinding, owner, ttlMs, clock } = workerData as ThreadData;
const db = connect();
const renewal = db.prepare<[number, string, number, string], { id: string }>(RENEW_SQL);

const wall = sharedClock(clock);

const renew = db.transaction((runIds: readonly string[]): Renewal => {
  const now = wall.now();
  const expiresAt = now + ttlMs;
  const rows = renewal.all(expiresAt, owner, now, JSON.stringify(runIds));
  return { runIds: rows.map(({ id }) => id), expiresAt };
});

const beat = new Beat({
  ttlMs,
  clock: wall,
  renew: (runIds) => renew.immediate(runIds),
  onLost: (key) => {
    port.postMessage({ lost: key } satisfies FromThread);
  },
});

/** Set by the first lease. */
let timer: NodeJS.Timeout | undefined;

function tick(): void {
  beat.beat().then(
    () => again(ttlMs / BEATS_PER_TTL),
    () => {
      beat.expire();
      again(Math.min(RETRY_MS, ttlMs / BEATS_PER_TTL));
    },
  );
}

function again(ms: number): void {
  if (db.open) timer = setTimeout(tick, ms);
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'hold') {
    beat.hold(message.key, message.runId, message.buffer);
    timer ??= setTimeout(tick, beat.dueIn());
  } else if (message.kind === 'drop') beat.drop(message.key);
  else stop();
});

function stop(): void {
  clearTimeout(timer);
  db.close();
  port?.close();
}

function connect(): Database.Database {
  const binding = nativeBinding === null ? {} : { nativeBinding };
  try {
    const opened = new Database(database, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS, ...binding });
    opened.pragma('synchronous = FULL');
    opened.pragma('trusted_schema = OFF');
    return opened;
  } catch (error) {
    // The driver's own errors lose their message on the way to the other thread.
    throw new Error((error as Error).message, { cause: error });
  }
}
