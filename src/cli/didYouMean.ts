/** Commands that somebody may have meant who typed another. */
import levenshtein from 'fast-levenshtein';

const SHOWN = 3;
/** Share of the letters typed: farther off it is another word. */
const DISTANCE_SHARE_MAX = 0.4;

/** The nearest names, nearest first; none where nothing is near. */
export function nearestOf(typed: string, names: readonly string[]): readonly string[] {
  const farthest = Math.max(1, Math.floor(typed.length * DISTANCE_SHARE_MAX));
  return names
    .map((name) => ({ distance: levenshtein.get(typed, name), name }))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, SHOWN)
    .map(({ name }) => name);
}
