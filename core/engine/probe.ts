/**
 * Is told of every point at which a process may die, and may never return: so a test stops a loop exactly there.
 *
 * @param names the events of the commit that was just made, or the name of a point between two commits
 * @param step the index of the run's last step; 0 before the first
 */
export type Probe = (names: readonly string[], step: number) => Promise<void> | void;
