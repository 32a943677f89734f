/** Whom calls without a known credential are counted for. */
import { isIPv6 } from 'node:net';

const GROUPS = 8;
/** A customer of any network provider has at least so many bits to choose addresses from: 64. */
const NETWORK_GROUPS = 4;

/** An IPv4 address as it is; of an IPv6 address its network, as one caller has all of that. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%');
  const [head = '', tail] = plain.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const missing = tail === undefined ? 0 : GROUPS - left.length - right.length;
  const groups = [...left, ...Array<string>(Math.max(0, missing)).fill('0'), ...right];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16));
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** An embedded IPv4 address takes the place of two groups, which are never among the first. */
const groupsOf = (text: string): string[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
