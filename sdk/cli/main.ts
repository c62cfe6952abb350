#!/usr/bin/env node
/**
 * `holdpoint`: the operator's command.
 *
 * Exit codes: 0 it is done, or all is well; 1 it was refused, or something is wrong; 2 the command was not understood.
 */
import { EXIT } from './command.js';
import { execute } from './program.js';

// Whoever reads the output may stop reading, as `head` does: that is no fault, and none that was found before is forgotten.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`holdpoint: cannot write the output: ${code ?? 'unknown'}\n`);
  process.exit(EXIT.refused);
});
// What cannot be said there can be said nowhere; the exit code says it.
process.stderr.on('error', () => undefined);

const streams = { input: process.stdin, output: process.stdout, errors: process.stderr, env: process.env };
process.exitCode = await execute(process.argv.slice(2), streams, (code) => {
  process.exitCode = code;
});
