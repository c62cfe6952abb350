import { v7 } from 'uuid';

/** Draws the next id: UUID v7 (RFC 9562) unless a test injects its own. */
export type Ids = () => string;

export const uuidV7: Ids = () => v7();
