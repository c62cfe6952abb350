/** An agent process: `node worker.js <store> <url of the application> <run>`. It resumes the run, and ends. */
import { openOffice } from './office.js';

const [, , store = '', url = '', run = ''] = process.argv;

process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of the terminal; the parent decides what it means.
process.on('SIGINT', () => undefined);

const runtime = await openOffice({ store, url }, 'worker');
await runtime.resume(run);
await runtime.close();
process.disconnect();
