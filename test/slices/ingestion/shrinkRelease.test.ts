/** What two persons release, as a digest: of those that go, and of those left without relations. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { digestOfLosses } from '../../../src/slices/ingestion/shrinkRelease.ts';
import { ChangeLog } from '../../../src/slices/lists/changes.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function changesOf(removed: readonly string[], others: readonly string[] = []) {
  const log = new ChangeLog(true);
  for (const id of others) log.add('updated', id);
  for (const id of removed) log.add('removed', id);
  return log.finish();
}

const lost = (ids: string) => ({ digest: sha256(ids), lost: 1, of: 3 });
const UNRELATED = `unrelated ${sha256('z\n')}\n`;

test('of the ids that go, in the order of the merge, and of nothing else that changes', () => {
  const two = digestOfLosses(changesOf(['a', 'b'], ['c']), lost('z\n'));
  expect(two).toBe(sha256(`a\nb\n${UNRELATED}`));
  const many = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);
  const expected = sha256(many.map((id) => `${id}\n`).join('') + UNRELATED);
  expect(digestOfLosses(changesOf(many), lost('z\n'))).toBe(expected);
  expect(digestOfLosses({ lines: undefined }, lost('z\n'))).toBe(sha256(UNRELATED));
});

test('as many others that lose their relations are another loss', () => {
  const losing = (ids: string) => digestOfLosses(changesOf(['a']), lost(ids));
  expect(losing('b\n')).not.toBe(losing('c\n'));
});
