/**
 * Who called, and under which name: from the socket and Host, or from a proxy's forwarded headers
 * where TRUST_PROXY says that one stands in front, and only there (decisions 7.2).
 *
 * Of a list the last value counts: it is the one that the proxy next to us wrote; the ones before it
 * came from outside and can say anything.
 */
import { isIP } from 'node:net';
import type { HttpRequest } from './http/port.ts';

export interface Caller {
  /** For audit records and limits; IPv4 or IPv6 without a port. */
  address(request: HttpRequest): string;
  /** Lower case, without a port; empty where the request names none. */
  host(request: HttpRequest): string;
}

const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const IPV6_HOST = /^\[[0-9a-f:.]{2,45}\]$/;

export function createCaller(options: { readonly trustProxy: boolean }): Caller {
  const { trustProxy } = options;
  return {
    address(request) {
      const forwarded = trustProxy ? lastOf(request.header('x-forwarded-for')) : undefined;
      const address = forwarded?.replace(/^\[(.*)\]$/, '$1') ?? '';
      return isIP(address) === 0 ? request.remoteAddress : address;
    },
    host(request) {
      const forwarded = trustProxy ? lastOf(request.header('x-forwarded-host')) : undefined;
      return hostName(forwarded) ?? hostName(request.header('host')) ?? '';
    },
  };
}

function lastOf(header: string | undefined): string | undefined {
  return header?.slice(header.lastIndexOf(',') + 1).trim();
}

function hostName(text: string | undefined): string | undefined {
  const name = text?.toLowerCase().replace(/:[0-9]{1,5}$/, '');
  return name !== undefined && (HOST.test(name) || IPV6_HOST.test(name)) ? name : undefined;
}
