/**
 * Where calls to addresses that people give us may go: the public internet, and what the operator
 * named. One mechanism for lists, feeds and whatever else is called by a configured address.
 *
 * An address is checked three times: as it is spelt, by what its name resolves to when it is
 * configured, and when a connection is made. There the answers of the DNS are checked and handed
 * to the socket, so that the address which was checked is the one connected to, whatever the DNS
 * answers a moment later. One forbidden answer refuses the name. A refusal has one text, which
 * does not say what was found: the caller may be looking for just that.
 */
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isPublicAddress } from './addressRanges.ts';
import { type AllowedHost, allowedPlaces } from './allowedHosts.ts';

/** Milliseconds that the check of a configured name waits for the DNS. */
const CHECK_TIMEOUT_MS = 3_000;
/** RFC 6761: always this host, whatever the DNS would say. */
const LOCALHOST = /^(?:.+\.)?localhost$/;

/** A place that may not be called. No further attempt can help. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ERR_ADDRESS_REFUSED';
}

/** All addresses of a name, in the order in which they are to be tried. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface OutboundGuard {
  /** Whether a URL or a host may be called as it is spelt; its name may still lead elsewhere. */
  allows(target: URL | string): boolean;
  /** Whether the operator named this place: its host, or the subnet of its address. */
  isNamed(target: URL | string): boolean;
  /**
   * Rejects with AddressRefused, also for a name that leads to a refused address today. False for
   * a name that cannot be resolved now: it is checked again when it is connected to.
   */
  check(url: URL): Promise<boolean>;
  /** The guard of connections to this port: narrower where this installation listens itself. */
  forPort(port: number): OutboundGuard;
  /** For sockets: answers addresses that may be connected to, or fails with AddressRefused. */
  readonly lookup: LookupFunction;
  refusal(): AddressRefused;
}

const resolveBySystem: ResolveHost = (hostname) => systemLookup(hostname, { all: true });

export interface GuardOptions {
  readonly allowed: readonly AllowedHost[];
  /** The variable by which an operator allows places: the refusal names it. */
  readonly variable: string;
  /** Nothing is called but what `allowed` names. */
  readonly isClosed?: boolean;
  /** Ports that this installation listens on: nothing on this machine is called there. */
  readonly own?: {
    readonly ports: ReadonlySet<number>;
    readonly isOwnAddress: (address: string) => boolean;
  };
  /** Absent: the system's. */
  readonly resolve?: ResolveHost;
}

export function createOutboundGuard(options: GuardOptions): OutboundGuard {
  const { own } = options;
  const wide = guardWithout(options, () => false);
  if (own === undefined) return wide;
  const narrow = guardWithout(options, own.isOwnAddress);
  const guard: OutboundGuard = {
    ...wide,
    forPort: (port) => (own.ports.has(port) ? narrow : guard),
  };
  return guard;
}

function guardWithout(
  options: GuardOptions,
  isBarred: (address: string) => boolean,
): OutboundGuard {
  const { isClosed = false, resolve = resolveBySystem, variable } = options;
  const places = allowedPlaces(options.allowed);
  const refusal = () =>
    new AddressRefused(`expected a public address, or one that ${variable} names`);
  const isNamed = (target: URL | string): boolean => {
    const host = hostOf(target);
    return places.hasName(host) || places.hasAddress(host);
  };
  const isOpen = (address: string) =>
    (!isClosed && isPublicAddress(address)) || places.hasAddress(address);
  const isCallable = (address: string) => isOpen(address) && !isBarred(address);
  const allows = (target: URL | string): boolean => {
    const host = hostOf(target);
    if (isIP(host) !== 0) return isCallable(host);
    return places.hasName(host) || !LOCALHOST.test(host);
  };
  const addressesOf = async (hostname: string): Promise<LookupAddress[]> => {
    if (!allows(hostname)) throw refusal();
    const addresses = [...(await resolve(hostname))];
    const isFree = places.hasName(hostOf(hostname))
      ? ({ address }: LookupAddress) => !isBarred(address)
      : ({ address }: LookupAddress) => isCallable(address);
    if (addresses.length > 0 && addresses.every(isFree)) return addresses;
    throw refusal();
  };
  const guard: OutboundGuard = {
    allows,
    async check(url) {
      if (!allows(url)) throw refusal();
      const host = hostOf(url);
      if (isIP(host) !== 0) return true;
      const timeout = delay(CHECK_TIMEOUT_MS, false, { ref: false });
      const found = addressesOf(host).then(() => true, unlessRefused);
      return Promise.race([found, timeout]);
    },
    forPort: () => guard,
    isNamed,
    lookup(hostname, { all }, answer) {
      addressesOf(hostname).then(
        (addresses) => {
          const [first] = addresses;
          if (all === true) answer(null, addresses);
          else answer(null, first?.address ?? '', first?.family);
        },
        (error: NodeJS.ErrnoException) => answer(error, ''),
      );
    },
    refusal,
  };
  return guard;
}

function unlessRefused(error: unknown): false {
  if (error instanceof AddressRefused) throw error;
  return false; // not to be resolved now
}

/** As URL spells it, without brackets and without the dot that ends a full name. */
function hostOf(target: URL | string): string {
  const host = typeof target === 'string' ? target.toLowerCase() : target.hostname;
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
