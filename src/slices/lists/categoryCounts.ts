/**
 * How many entities of a version have each category: read from its lines, none of which is parsed.
 */
import type { BlobStore } from '#core/blobs';
import type { VersionText } from './versionEntries.ts';
import { versionLines } from './versionLines.ts';

/** Larger lists are not counted: it would hold up who waits for entries. */
export const COUNTED_ENTITIES_MAX = 200_000;

const MEMBER = '"categories":[';

/** Counts by category; an entity of several counts for each. Throws `list-damaged`. */
export async function countCategories(
  version: VersionText,
  blobs: Pick<BlobStore, 'open'>,
): Promise<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>();
  for await (const lines of versionLines(version, blobs)) {
    for (const line of lines) {
      for (const category of categoriesIn(line)) {
        counts.set(category, (counts.get(category) ?? 0) + 1);
      }
    }
  }
  return Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Lines are canonical JSON: a quote within a text is escaped, so no text looks like the member. */
function categoriesIn(line: Buffer): readonly string[] {
  const at = line.indexOf(MEMBER);
  if (at < 0) return [];
  const end = line.indexOf(']', at);
  const listed = line.subarray(at + MEMBER.length, end).toString();
  return listed === '' ? [] : listed.split(',').map((word) => word.slice(1, -1));
}
