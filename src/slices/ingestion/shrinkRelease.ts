/**
 * What two persons let go (interface.md 4.9). They saw one refused run: so many entities of one
 * file. Their release is of those, whatever the publisher gives out by the time it is carried out:
 * the list is fetched anew, and another file may take away others, and ten times as many.
 *
 * The same file is covered, and so is one that takes away the very same entities: some publishers
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
 * SHA-256 hex of the ids that go, a line feed after each, in their order: the merge that tells them
 * goes by it. And of the digest of those that stay and lose their relations, where `unrelated` is
 * given: so few that they count for nothing are not, since a delta does not tell of them.
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
