/**
 * What both adapters know of a reply before they write it.
 */
import { STATUS_CODES } from 'node:http';
import type { HttpReply } from './port.ts';

/** RFC 9110, 6.4.1: these never have a body, whatever the handler gave. */
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

/** Tells a stream that its reader left. It may be waiting for its own next event: do not wait. */
export function returnIterator(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().then(undefined, () => {
    // The reader is gone: there is nobody to tell, and the stream has ended either way.
  });
}

/** Framing and connection are the adapter's: such a line from a handler is not sent. */
export function isFramingHeader(name: string): boolean {
  if (name.length !== 10 && name.length !== 14 && name.length !== 17) return false;
  const lower = name.toLowerCase();
  return lower === 'connection' || lower === 'content-length' || lower === 'transfer-encoding';
}
