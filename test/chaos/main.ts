import { parseArgs } from 'node:util';
import { chaos } from './chaos.js';

/** `npm run chaos -- --seconds 60 --processes 4 --seed 1`: exits 1 if the contract was broken. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    processes: { type: 'string', default: '4' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
});

const options = { seconds: Number(values.seconds), processes: Number(values.processes), seed: Number(values.seed) };
for (const [name, value] of Object.entries(options)) {
  if (!Number.isInteger(value) || value < 0) {
    process.stderr.write(`--${name} must be a whole number\n`);
    process.exit(2);
  }
}

const { violations, statuses, ...report } = await chaos(options);
process.stdout.write(
  `${JSON.stringify({ ...options, ...report, violations: violations.length, statuses }, null, 2)}\n`,
);
for (const violation of violations) process.stdout.write(`${violation}\n`);
process.exitCode = violations.length === 0 ? 0 : 1;
