/** What lists say of a batch's hits: of the versions that the batch has pinned. */
import { expect, test } from 'vitest';
import type { SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type BatchHit, hitFactsOf, type PinnedList, presentHit } from '#slices/batches';
import { FACTS_UNKNOWN, type ListedEntry, type ShownFacts } from '#slices/lists';

const pinned = (source: string): PinnedList => ({
  content_digest: `content ${source}`,
  index: 'i',
  list_digest: `list ${source}`,
  list_version: 'v2026-01-01.a',
  published_at: 0 as EpochMs,
  source: source as SourceId,
});
const hit = (list_source: string, record_id: string): BatchHit => ({
  hit_id: `hit ${record_id}`,
  list_source,
  match_score: 1,
  match_type: 'sanction',
  payload: { ftm_id: record_id, matched_name: 'A' },
  record_id,
  strong: true,
});

function asking(listsPinned: readonly PinnedList[] | undefined) {
  const asked: ListedEntry[] = [];
  const factsOf = async (entries: readonly ListedEntry[]): Promise<readonly ShownFacts[]> => {
    asked.push(...entries);
    return entries.map(({ id }) => ({ ...FACTS_UNKNOWN, akas: [`aka ${id}`] }));
  };
  return {
    asked,
    of: hitFactsOf(factsOf, listsPinned === undefined ? {} : { listsPinned }, { turn: 't' }),
  };
}

test('each is asked of its own list as it was pinned', async () => {
  const { asked, of } = asking([pinned('OFAC_SDN'), pinned('UN_SC')]);
  const facts = await of([hit('UN_SC', 'un-1'), hit('OFAC_SDN', 'ofac-1'), hit('GONE', 'x')]);
  expect(facts.map(({ akas }) => akas)).toEqual([['aka un-1'], ['aka ofac-1'], null]);
  expect(asked).toMatchObject([
    { content_digest: 'content UN_SC', id: 'un-1', list_digest: 'list UN_SC', source: 'UN_SC' },
    { id: 'ofac-1', source: 'OFAC_SDN' },
  ]);
});

test('nothing is asked where there is no hit', async () => {
  const { asked, of } = asking([pinned('UN_SC')]);
  expect(await of([])).toEqual([]);
  expect(await asking(undefined).of([hit('UN_SC', 'a')])).toEqual([FACTS_UNKNOWN]);
  expect(asked).toEqual([]);
});

test('they stand in the payload beside the scores, which stay as they were', () => {
  const found = {
    hit: hit('UN_SC', 'un-1'),
    place: { ordinal: 0, position: 0 },
    subject: { batch_subject_id: 's', external_id: 'C-1', subject: {} },
  } as unknown as Parameters<typeof presentHit>[1];
  const facts = { ...FACTS_UNKNOWN, akas: ['B'] };
  const { payload } = presentHit({ batchId: 'b' as never }, found, facts);
  expect(payload).toEqual({ ftm_id: 'un-1', matched_name: 'A', ...facts });
});
