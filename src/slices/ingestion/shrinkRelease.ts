/**
 * What two persons release (interface.md 4.9). They examined one refused run: so many entities of
 * one file. Their release covers exactly those. The list is fetched anew when it is carried out,
 * and by then another file may remove others, and ten times as many.
 *
 * The same file is covered, and so is one that removes the very same entities: some publishers
 * write the time of the request into every copy.
 */
import { createHash } from 'node:crypto';
import type { EntityChange, ListChanges } from '#slices/lists';
import type { LostRelations } from './mergeList.ts';
import type { ShrinkRelease } from './ports.ts';

export function covers(release: ShrinkRelease, loss: ShrinkRelease): boolean {
  const isSameFile = release.fileSha256 === loss.fileSha256;
  const isSameLoss = release.removedDigest === loss.removedDigest;
  return loss.removedCount <= release.removedCount && (isSameFile || isSameLoss);
}

/**
 * SHA-256 hex of the removed ids, a line feed after each, in the order in which the merge finds
 * them. Where `unrelated` is given, the digest of those that stay and lose their relations is
 * hashed too. It is left out where they are too few to count, since a delta does not report them.
 */
export function digestOfLosses(
  { lines = [] }: Pick<ListChanges, 'lines'>,
  unrelated?: LostRelations,
): string {
  const digest = createHash('sha256');
  for (const piece of lines) {
    for (const line of Buffer.from(piece).toString().split('\n')) {
      if (line === '') continue;
      const { ftm_id, op } = JSON.parse(line) as EntityChange;
      if (op === 'removed') digest.update(`${ftm_id}\n`);
    }
  }
  if (unrelated?.lost) digest.update(`unrelated ${unrelated.digest}\n`);
  return digest.digest('hex');
}
