/**
 * A payment service, as a process of its own: `node payment-service.js <ledger file>`.
 *
 * - It knows no idempotency: every POST books another charge, whatever reference it carries.
 * - It books its first charge, tells its parent so, and never answers the client: the moment in which the demo kills
 *   the agent. All later ones it answers.
 * - It ends when its parent does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Ledger } from './ledger.js';
import type { FromService } from './messages.js';
import type { ChargeRequest, Order } from './payments.js';

const ORDERS: readonly Order[] = [{ order: 'A-8891', paidCents: 12_800, returnedCents: 6_400, refundedCents: 12_800 }];

const ledger = new Ledger(process.argv[2] ?? ':memory:');

function tell(message: FromService): void {
  process.send?.(message);
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function book(request: IncomingMessage): Promise<Answer | null> {
  const booked = ledger.book((await json(request)) as ChargeRequest);
  if (ledger.count() > 1) return { status: 201, body: booked };
  tell({ kind: 'booked', reference: booked.reference });
  return null;
}

function find(path: string, query: URLSearchParams): Answer {
  if (path === '/charges/count') return { status: 200, body: { count: ledger.count() } };
  if (path === '/charges') return { status: 200, body: ledger.chargesOf(query.get('reference') ?? '') };
  const order = ORDERS.find(({ order }) => path === `/orders/${order}`);
  return order ? { status: 200, body: order } : { status: 404, body: { error: 'no such thing' } };
}

/** What to answer; null for nothing, ever. */
async function serve(request: IncomingMessage): Promise<Answer | null> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'POST' && pathname === '/charges') return book(request);
  return find(pathname, searchParams);
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await serve(request).catch((error: unknown) => ({ status: 400, body: { error: String(error) } }));
  if (!answer) return;
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
}

const server = createServer((request, response) => void respond(request, response));

process.on('disconnect', () => {
  ledger.close();
  process.exit();
});
// Ctrl-C reaches every process of the terminal; the parent decides what it means.
process.on('SIGINT', () => undefined);

server.listen(0, '127.0.0.1', () => {
  tell({ kind: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
