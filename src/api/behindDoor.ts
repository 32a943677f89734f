/**
 * A request that came by a door, as the operations see it: under their own path, and without the
 * credentials of the API, which the door does not take.
 */
import type { HttpRequest } from './http/port.ts';

const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'x-api-key']);

/** `received.path` begins with the prefix. */
export const behindDoor = (received: HttpRequest, prefix: string): HttpRequest => ({
  body: (bytesMax) => received.body(bytesMax),
  bodyStream: () => received.bodyStream(),
  header: (name) => (CREDENTIALS.has(name) ? undefined : received.header(name)),
  method: received.method,
  path: received.path.slice(prefix.length),
  query: received.query,
  remoteAddress: received.remoteAddress,
  get signal() {
    return received.signal;
  },
});
