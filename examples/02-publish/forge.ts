/**
 * The forge: a small HTTP service that keeps change requests.
 *
 * - It knows no idempotency: every POST opens another change request, whatever its body says.
 * - It writes before it answers: what a search does not find was not opened by any request that it has handled.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { NewChangeRequest } from './change-requests.js';
import { Ledger } from './ledger.js';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Serves the change requests of this file for as long as the work takes, which is told the address. */
export async function withForge<T>(file: string, work: (url: string) => Promise<T>): Promise<T> {
  const ledger = new Ledger(file);
  const server = createServer((request, response) => {
    void answer(ledger, request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await once(server.close(), 'close');
  }
}

async function answer(ledger: Ledger, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname !== '/change-requests') return { status: 404, body: { error: 'no such thing' } };
  if (request.method !== 'POST') {
    const text = searchParams.get('containing') ?? '';
    return { status: 200, body: ledger.all().filter(({ body }) => body.includes(text)) };
  }
  try {
    return { status: 201, body: ledger.add((await json(request)) as NewChangeRequest) };
  } catch (error) {
    return { status: 400, body: { error: String(error) } };
  }
}
