/**
 * The application as a process of its own: `node application-process.js <database file>`. It ends when its parent does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Case, ChangeRequest } from './accounts.js';
import { Application } from './application.js';
import type { FromApplication, ToApplication } from './messages.js';

const HOME = '4 Mill Lane, York';
const CASES: readonly Case[] = [
  { case: 'C-101', account: 'A-17', address: HOME, text: 'We moved. Our new address: 12 Harbour Road, Hull' },
  { case: 'C-102', account: 'A-18', address: HOME, text: 'Please note my new address: 7 Castle Street, Leeds' },
  { case: 'C-103', account: 'A-19', address: HOME, text: 'I live elsewhere now, new address: 30 Quay Side, Whitby' },
];

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const application = new Application(process.argv[2] ?? ':memory:');
for (const one of CASES) application.add(one);
let silent = false;

function tell(message: FromApplication): void {
  process.send?.(message);
}

async function change(request: IncomingMessage): Promise<Answer | null> {
  const changed = application.change((await json(request)) as ChangeRequest);
  if (!silent)
    return changed ? { status: 201, body: changed } : { status: 409, body: { error: 'the account differs' } };
  silent = false;
  tell({ kind: 'silent' });
  return null;
}

function read({ pathname, searchParams }: URL): Answer {
  const [, kind, id = ''] = pathname.split('/').map(decodeURIComponent);
  if (kind === 'changes') return { status: 200, body: application.changesOf(searchParams.get('operation') ?? '') };
  const body = kind === 'cases' ? application.case(id) : kind === 'accounts' ? application.account(id) : undefined;
  return body ? { status: 200, body } : { status: 404, body: { error: 'no such thing' } };
}

/** What to answer; null for nothing, ever. */
async function serve(request: IncomingMessage): Promise<Answer | null> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  return request.method === 'POST' && url.pathname === '/changes' ? change(request) : read(url);
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await serve(request).catch((error: unknown) => ({ status: 400, body: { error: String(error) } }));
  if (!answer) return;
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
}

const server = createServer((request, response) => void respond(request, response));

process.on('message', (_order: ToApplication) => (silent = true));
process.on('disconnect', () => {
  application.close();
  process.exit();
});
// Ctrl-C reaches every process of the terminal; the parent decides what it means.
process.on('SIGINT', () => undefined);

server.listen(0, '127.0.0.1', () => {
  tell({ kind: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
