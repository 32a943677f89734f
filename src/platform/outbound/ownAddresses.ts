/** Which addresses are this machine's own: those of its interfaces now, and all of loopback. */
import { BlockList, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

const IPV4_IN_IPV6 = /^::ffff:(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i;

/** Read anew each time: interfaces come and go. */
export function isOwnAddress(address: string): boolean {
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8, 'ipv4');
  own.addAddress('0.0.0.0', 'ipv4'); // ends on this machine, as :: does
  own.addAddress('::', 'ipv6');
  own.addAddress('::1', 'ipv6');
  for (const all of Object.values(networkInterfaces())) {
    for (const { address: one, family } of all ?? []) {
      own.addAddress(one.split('%')[0] ?? one, family === 'IPv4' ? 'ipv4' : 'ipv6');
    }
  }
  const bare = IPV4_IN_IPV6.exec(address)?.[1] ?? address;
  return own.check(bare, isIPv4(bare) ? 'ipv4' : 'ipv6');
}
