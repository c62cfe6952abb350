import { Initial1764460800000 } from './0001-initial.js';

/** Oldest first. */
export const SQLITE_MIGRATIONS = [Initial1764460800000];
