/**
 * What identifies a list version: two digests of its content, and a label for people.
 *
 * `list_digest` (interface.md 2.12): SHA-256 over the entities sorted by ftm_id (UTF-16 code
 * units), each contributing the line JCS([ftm_id, last_seen_at]) and a line feed, in UTF-8.
 *
 * `content_digest` (decisions 2.10): SHA-256 over the same order, each contributing the SHA-256 (32
 * bytes) of JCS(entity without first and last seen), so that little is hashed of a list that hardly
 * changed. In versions of earlier releases each contributes that text itself and a line feed. In
 * `source_lists_hits` the dates `added_at` and `version` are first and last seen under other names,
 * so they are left out too. Content therefore has no history in it: two installations that imported
 * the same file agree, however different their earlier imports were.
 *
 * A run whose two digests are those in force is skipped. lineColumns.ts computes them, and
 * lineTable.ts those of a delta.
 */

/** `v2024-07-02.a`, then `.b` … `.z`, `.aa`: one for each publication of one release date. */
export function nextLabel(releaseDate: string, published: readonly string[]): string {
  const prefix = `v${releaseDate}.`;
  const taken = published
    .filter((label) => label.startsWith(prefix))
    .map((label) => letterNumber(label.slice(prefix.length)));
  return prefix + letterOf(Math.max(0, ...taken) + 1);
}

/** a is 1, z 26, aa 27. */
function letterNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 96, 0);
}

function letterOf(number: number): string {
  let letters = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
