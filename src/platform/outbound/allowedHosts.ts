/**
 * The places beside the public internet that an operator allows: host names, addresses, subnets.
 * They come from the environment alone, never from a tenant.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';

/** A host by its name, or the addresses of a subnet; a single address has all bits. */
export type AllowedHost =
  | { readonly name: string }
  | { readonly network: string; readonly bits: number };

/** More would be a list that nobody reads. */
export const ALLOWED_HOSTS_MAX = 64;
const BITS = { ipv4: 32, ipv6: 128 } as const;
const SUBNET = /^([0-9a-f.:]{2,45})\/(\d{1,3})$/;
/** Labels of a host's name; which of them exist is the DNS's to say. */
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,62}$/;

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

/** An entry as an operator writes it; undefined where it is none of the three. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  const entry = text.toLowerCase();
  const [, network, bitsText] = SUBNET.exec(entry) ?? [];
  if (network !== undefined) {
    const bits = Number(bitsText);
    const isSubnet = isIP(network) !== 0 && bits <= BITS[familyOf(network)];
    return isSubnet ? { bits, network } : undefined;
  }
  const address = entry.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return { bits: BITS[familyOf(address)], network: address };
  const name = entry.replace(/\.$/, '');
  // Numbers alone are an address in one of its other spellings, and were not meant as one.
  return NAME.test(name) && !/^[0-9]/.test(name.slice(name.lastIndexOf('.') + 1))
    ? { name }
    : undefined;
}

export interface AllowedPlaces {
  hasName(name: string): boolean;
  hasAddress(address: string): boolean;
}

export function allowedPlaces(hosts: readonly AllowedHost[]): AllowedPlaces {
  const names = new Set<string>();
  const subnets = new BlockList();
  for (const host of hosts) {
    if ('name' in host) names.add(host.name);
    else subnets.addSubnet(host.network, host.bits, familyOf(host.network));
  }
  return {
    hasAddress: (address) => isIP(address) !== 0 && subnets.check(address, familyOf(address)),
    hasName: (name) => names.has(name),
  };
}
