/** What a chunk leaves behind: its blob, its root and its figures. */
import { expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { rootOfLines, type SubjectResult, unpackLines } from '#slices/batches';
import { ChunkResults } from '../../../src/slices/batches/chunkResults.ts';

const resultAt = (ordinal: number, hits: number, payload = 'x'): SubjectResult => ({
  batch_subject_id: `s-${ordinal}`,
  decision: hits > 0 ? 'match' : 'auto_clear',
  external_id: `c-${ordinal}`,
  hits: Array.from({ length: hits }, (_, place) => ({
    hit_id: `h-${ordinal}-${place}`,
    list_source: 'DEMO',
    match_score: 0.9,
    match_type: place % 2 === 0 ? 'sanction' : 'pep',
    payload: { payload, place },
    record_id: `r-${place}`,
    strong: false,
  })),
  line: ordinal + 2,
  ordinal,
  salt: 'AAAA',
  subject: { external_id: `c-${ordinal}`, full_name: 'Jürgen محمد' },
  truncated: false,
});

function collected(results: readonly SubjectResult[]): ChunkResults {
  const chunk = new ChunkResults();
  for (const result of results) chunk.add(result);
  return chunk;
}

test.each([
  ['nobody', []],
  ['one without hits', [resultAt(0, 0)]],
  ['a few', [0, 3, 1].map((hits, at) => resultAt(at, hits))],
  [
    'more text than is held at once',
    [...Array(90).keys()].map((at) => resultAt(at, 50, 'y'.repeat(999))),
  ],
])('%s: the blob holds each line once, and the root is over them', async (_, results) => {
  const chunk = collected(results);
  const lines = results.map((result) => canonicalJson(result));
  const stored = (await unpackLines(chunk.packed())).map((line) => line.toString());
  expect(stored).toEqual(lines);
  expect(chunk.merkleRoot).toBe(rootOfLines(lines));
  expect(collected(results).packed()).toEqual(chunk.packed());
});

test('figures count subjects by decision, and hits by what they are', () => {
  const { figures } = collected([resultAt(0, 3), resultAt(1, 0), resultAt(2, 1)]);
  expect(figures).toMatchObject({ hits: 4, subjectsWithHits: 2 });
  expect(figures.byDecision).toMatchObject({ auto_clear: 1, match: 2 });
  expect(figures.byMatchType).toMatchObject({ pep: 1, sanction: 3 });
});
