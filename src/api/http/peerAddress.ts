/**
 * An address as people write it, from what a socket says. A dual-stack socket shows an IPv4 peer
 * as `::ffff:192.0.2.1`, and uWebSockets.js writes every group of an IPv6 address in full; rate
 * limits and audit records must not take one peer for two.
 */

const MAPPED = /^(?:::|(?:0+:){5})ffff:(.+)$/i;

export function peerAddress(text: string): string {
  if (!text.includes(':')) return text;
  const rest = MAPPED.exec(text)?.[1];
  if (rest === undefined) return compress(text);
  if (rest.includes('.')) return rest;
  const [high = 0, low = 0] = rest.split(':').map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** RFC 5952: no leading zeros, the longest run of zero groups as `::`, lower case. */
function compress(text: string): string {
  const [address = '', zone] = text.split('%');
  if (address.includes('::')) return text.toLowerCase();
  const groups = address.split(':').map((group) => Number.parseInt(group, 16).toString(16));
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  const suffix = zone === undefined ? '' : `%${zone}`;
  if (best.length < 2) return groups.join(':') + suffix;
  const before = groups.slice(0, best.start).join(':');
  const after = groups.slice(best.start + best.length).join(':');
  return `${before}::${after}${suffix}`;
}
