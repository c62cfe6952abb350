import { Initial1764460800000 } from './0001-initial.js';
import { SignedDecisions1795996800000 } from './0002-signed-decisions.js';

/** Oldest first. */
export const SQLITE_MIGRATIONS = [Initial1764460800000, SignedDecisions1795996800000];
