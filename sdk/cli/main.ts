#!/usr/bin/env node
/**
 * `holdpoint`: the operator's command.
 *
 * Exit codes: 0 it is done, or all is well; 1 it was refused, or something is wrong; 2 the command was not understood.
 */
import { execute } from './program.js';

// Whoever reads the output may stop reading, as `head` does: that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await execute(process.argv.slice(2), {
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  env: process.env,
});
