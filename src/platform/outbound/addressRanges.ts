/**
 * Which addresses are of the public internet (IANA special-purpose registries, RFC 6890).
 *
 * IPv6 is turned round: only 2000::/3 is given out at all, so what is outside of it (loopback,
 * link-local, unique local, multicast, IPv4 within IPv6, NAT64) is refused without a row of its
 * own, and so is what a later registry puts there.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

const RESERVED_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // this network; a connection to 0.0.0.0 ends on this host
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // a carrier's own, and a cloud's metadata (100.100.100.200)
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // a cloud's host behind every machine, though its network is public
  ['169.254.0.0', 16], // link-local, and the clouds' metadata
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];
const GIVEN_OUT_IPV6 = ['2000::', 3] as const;
const RESERVED_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // protocols: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: any IPv4 address within
  ['3fff::', 20], // documentation
];

const RESERVED = new BlockList();
for (const [network, bits] of RESERVED_IPV4) RESERVED.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of RESERVED_IPV6) RESERVED.addSubnet(network, bits, 'ipv6');
const GIVEN_OUT = new BlockList();
GIVEN_OUT.addSubnet(...GIVEN_OUT_IPV6, 'ipv6');

/** False for private, loopback, link-local and reserved addresses, and for what is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !RESERVED.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  return GIVEN_OUT.check(address, 'ipv6') && !RESERVED.check(address, 'ipv6');
}
