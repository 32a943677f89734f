/**
 * What both adapters know of a reply before they write it.
 */
import { STATUS_CODES } from 'node:http';
import type { HttpReply } from './port.ts';

/** RFC 9110, 6.4.1: these statuses never have a body, even if the handler gave one. */
export function isBodiless(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

export function isStream(body: HttpReply['body']): body is AsyncIterable<Uint8Array | string> {
  return typeof body !== 'string' && !(body instanceof Uint8Array);
}

export function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

const statusLines = new Map<number, string>();

/** `404 Not Found`; made once per status. */
export function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
    statusLines.set(status, line);
  }
  return line;
}

/** Ends a stream whose reader left. Not awaited, since it may be waiting for its own next event. */
export function returnIterator(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().then(undefined, () => {
    // The reader is gone and the stream has ended either way, so the error has no receiver.
  });
}

/** Framing and connection are the adapter's: such a line from a handler is not sent. */
export function isFramingHeader(name: string): boolean {
  if (name.length !== 10 && name.length !== 14 && name.length !== 17) return false;
  const lower = name.toLowerCase();
  return lower === 'connection' || lower === 'content-length' || lower === 'transfer-encoding';
}
