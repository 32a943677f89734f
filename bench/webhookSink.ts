/**
 * The customers' systems of the webhook bench, in a process of their own: one TLS server on
 * loopback that answers 204, or never under /hang. It keeps what a figure needs: every key with how
 * often it came, when first and last, sends of each tenant by tenths of a second, and when each
 * event came first.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What it is told to begin with. */
export interface SinkStart {
  readonly cert: string;
  readonly key: string;
}

/** What came since the last `reset`. */
export interface SinkFigures {
  readonly distinct: number;
  readonly received: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** When the events that were asked for came first; 0: not yet. */
  readonly arrivals: readonly number[];
}

/** Words to it. */
export type SinkWord =
  | SinkStart
  | { readonly ask: readonly string[] }
  | { readonly most: true }
  | { readonly reset: true };

const SLOT_MS = 100;
const SLOTS_IN_10_S = 100;

let keys = new Set<string>();
let received = 0;
let firstMs = 0;
let lastMs = 0;
let slots = new Map<string, Map<number, number>>();
const arrivals = new Map<string, number>();

function note(path: string, headers: NodeJS.Dict<string | string[]>): void {
  const now = Date.now();
  const name = String(headers['x-service-idempotency-key']);
  if (path.startsWith('/quiet')) {
    const eventId = String(headers['x-service-event-id']);
    if (!arrivals.has(eventId)) arrivals.set(eventId, now);
    return;
  }
  keys.add(name);
  received++;
  firstMs ||= now;
  lastMs = now;
  const tenant = String(headers['x-service-tenant-id']);
  const own = slots.get(tenant) ?? new Map<number, number>();
  slots.set(tenant, own);
  const slot = Math.floor(now / SLOT_MS);
  own.set(slot, (own.get(slot) ?? 0) + 1);
}

/** A window is slid over each tenant's slots, which are in the order of time. */
function mostIn10S(): number {
  let most = 0;
  for (const own of slots.values()) {
    const counts = [...own];
    let first = 0;
    let sum = 0;
    for (const [slot, count] of counts) {
      sum += count;
      for (let oldest = counts[first]; oldest !== undefined; oldest = counts[++first]) {
        if (oldest[0] > slot - SLOTS_IN_10_S) break;
        sum -= oldest[1];
      }
      most = Math.max(most, sum);
    }
  }
  return most;
}

process.on('message', (word: SinkWord) => {
  if ('cert' in word) {
    const server = createServer(word, (request, response) => {
      const { url = '' } = request;
      request.resume();
      if (url.startsWith('/hang')) return;
      note(url, request.headers);
      response.writeHead(204).end();
    });
    // A connection that waits is not closed under its next send.
    server.keepAliveTimeout = 600_000;
    server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  } else if ('most' in word) process.send?.(mostIn10S());
  else if ('reset' in word) {
    keys = new Set();
    slots = new Map();
    received = firstMs = lastMs = 0;
    process.send?.(true);
  } else {
    const figures: SinkFigures = {
      arrivals: word.ask.map((eventId) => arrivals.get(eventId) ?? 0),
      distinct: keys.size,
      firstMs,
      lastMs,
      received,
    };
    process.send?.(figures);
  }
});
process.on('disconnect', () => process.exit(0));
