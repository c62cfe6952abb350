import type { ValueTransformer } from 'typeorm';

/** A `bigint` that holds milliseconds: PostgreSQL returns it as text, SQLite as a number. */
export const epochMs: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: unknown) => (typeof value === 'string' ? Number(value) : value),
};
