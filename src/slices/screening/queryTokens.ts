/**
 * What a screening costs of the rate limits: its work grows with the letters that are compared, so
 * a name with twenty long spellings costs as much as twenty names.
 */
import { TOKEN_CODE_POINTS_MAX } from './limits.ts';
import type { RawQuery } from './ports.ts';

/** One token for each TOKEN_CODE_POINTS_MAX code points, begun, of all its names. */
export function queryTokens({
  name,
  transliterations,
}: Pick<RawQuery, 'name' | 'transliterations'>): number {
  const names = [name, ...transliterations];
  const units = names.reduce((sum, one) => sum + one.length, 0);
  // No name has more code points than UTF-16 units: those of an ordinary query are not counted.
  if (units <= TOKEN_CODE_POINTS_MAX) return 1;
  const codePoints = names.reduce((sum, one) => sum + codePointsOf(one), 0);
  return Math.ceil(codePoints / TOKEN_CODE_POINTS_MAX);
}

function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
