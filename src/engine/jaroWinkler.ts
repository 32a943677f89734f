/**
 * Jaro-Winkler similarity of two words or names: 0 shares nothing, 1 is equal. Scale 0.1, prefix of
 * 4, boosted above a Jaro of 0.7, transpositions halved (decisions 2.3), as the native kernels have
 * it. For single pairs: lists are compared by those.
 */

const SCALE = 0.1;
const PREFIX_MAX = 4;
const BOOST_ABOVE = 0.7;

/** Compares UTF-16 units. Two empty texts are equal. */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1;
  const jaro = jaroOf(a, b);
  if (jaro <= BOOST_ABOVE) return jaro;
  let prefix = 0;
  while (prefix < PREFIX_MAX && prefix < a.length && a[prefix] === b[prefix]) prefix++;
  return jaro + prefix * SCALE * (1 - jaro);
}

function jaroOf(a: string, b: string): number {
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const isTaken = new Uint8Array(b.length);
  const matched: string[] = [];
  for (let at = 0; at < a.length; at++) {
    const end = Math.min(b.length, at + reach + 1);
    for (let other = Math.max(0, at - reach); other < end; other++) {
      if (isTaken[other] === 1 || a[at] !== b[other]) continue;
      isTaken[other] = 1;
      matched.push(a[at] ?? '');
      break;
    }
  }
  const matches = matched.length;
  if (matches === 0) return 0;
  const inB = [...isTaken].flatMap((taken, at) => (taken === 1 ? [b[at]] : []));
  const moved = matched.filter((unit, at) => unit !== inB[at]).length / 2;
  return (matches / a.length + matches / b.length + (matches - moved) / matches) / 3;
}
