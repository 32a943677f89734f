/** The bound of a pair of names: it is never under what the pair scores. */
import { describe, expect, test } from 'vitest';
import { streamEntities } from '../../../bench/names.ts';
import { noisyQueries } from '../../../bench/noise.ts';
import { foldName } from '../../../src/engine/foldName.ts';
import { MODEL } from '../../../src/engine/reranker2/model.ts';
import { NamePairs, NOTHING_Z } from '../../../src/engine/reranker2/namePairs.ts';
import { prepareName } from '../../../src/engine/reranker2/preparedName.ts';
import { WordRows } from '../../../src/engine/reranker2/wordColumns.ts';
import type { NameKind } from '../../../src/engine/reranker2/wordFacts.ts';

const entities = [...streamEntities(300)];
const listed = entities.flatMap(({ names }) => names);
const asked = noisyQueries(entities, 40, 19).map(({ raw }) => raw.name);
const strange = ['PLA', "People's Liberation Army", 'abd al rahman abd', 'j c', 'van der Berg'];

function prepared(name: string, kind: NameKind) {
  const { latin } = foldName(name, kind === 'person' ? 'person' : 'entity');
  return prepareName(latin.split(' '), kind);
}

describe.each(['person', 'entity', 'vessel'] as const)('names of a %s', (kind) => {
  const pairs = new NamePairs(MODEL);
  const memo = pairs.alignment.memos[kind];
  const rows = new WordRows();
  const entries = [...listed, ...strange].map((name) => prepared(name, kind));

  test('have a bound over their score, and close to it where nothing is alike', () => {
    let compared = 0;
    let strangers = 0;
    for (const name of [...asked, ...strange]) {
      const query = prepared(name, kind);
      memo.clear();
      rows.clear();
      rows.add(query.tokens, memo.queries);
      for (const entry of entries) rows.add(entry.tokens, memo.entries);
      memo.fill();
      const own = rows.row(0, memo.queries);
      entries.forEach((entry, at) => {
        const most = pairs.most(kind, own, rows.row(at + 1, memo.entries));
        pairs.score(query, entry);
        if (most < pairs.shifted)
          expect(most, `${name} | ${at}`).toBeGreaterThanOrEqual(pairs.shifted);
        if (most === NOTHING_Z) strangers += 1;
        compared += 1;
      });
    }
    expect(compared).toBeGreaterThan(20_000);
    expect(strangers).toBeGreaterThan(compared / 3);
  });
});
