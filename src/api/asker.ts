/** Who asked, as records and entries name it. */
import type { Actor, Asker } from '#core/audit';
import type { Principal } from '#core/identity';
import type { HttpRequest } from './http/port.ts';
import type { OperationContext } from './operation.ts';

/** A person's account, a key, or a customer's session. */
export const actorOf = ({ id, kind }: Pick<Principal, 'id' | 'kind'>): Actor =>
  kind === 'api-key' ? `key:${id}` : `${kind}:${id}`;

/** The asker with the address of the call, for the audit entry. */
export const askerOf = ({ ip, principal }: Pick<OperationContext, 'ip' | 'principal'>): Asker => ({
  actor: actorOf(principal),
  ...(ip !== '' && { ip }),
});

/** No address is longer: IPv6 with an embedded IPv4 address and a zone. */
const ADDRESS_LENGTH_MAX = 64;

/**
 * The caller's address: the socket's peer, or what the trusted proxy says of its own peer. Of
 * several forwarded addresses the last one counts: the proxy wrote it, the caller the others.
 */
export function callerAddress(request: HttpRequest, trustProxy: boolean): string {
  const forwarded = trustProxy ? request.header('x-forwarded-for')?.split(',').at(-1)?.trim() : '';
  const address = forwarded || request.remoteAddress;
  return address.length <= ADDRESS_LENGTH_MAX ? address : request.remoteAddress;
}
