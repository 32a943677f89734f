/** What 2.0.0 reports beside its score: the components and weights of re-ranker 1.1.0. */
import { expect, test } from 'vitest';
import { cleanName, syntheticEntities } from '../../../bench/names.ts';
import { pick, seededRandom } from '../../../bench/random.ts';
import {
  buildSnapshot,
  type Candidate,
  createEngine,
  type RawQuery,
  type ScorerSettings,
} from '../../../src/engine/index.ts';
import { SETTINGS } from '../fixtures.ts';

const random = seededRandom(29);
const entities = syntheticEntities(800);

/** Names of the list with slips, titles, commas and common words, and names that it has not. */
function queryOf(turn: number): RawQuery {
  const own = pick(random, entities);
  const listed = pick(random, own.names);
  const words = listed.split(' ');
  const name =
    [
      listed,
      words.toReversed().join(' '),
      `${words.at(-1)}, ${words.slice(0, -1).join(' ')}`,
      `Sheikh ${listed}`,
      listed.slice(0, 3) + listed.slice(4),
      cleanName(random),
      words[0],
      'Ali',
    ][turn % 8] ?? listed;
  const dob = own.datesOfBirth[0]?.slice(0, 10);
  return {
    name,
    transliterations: [],
    ...(turn % 3 === 0 && dob !== undefined && { dob }),
    ...(turn % 4 === 0 &&
      own.nationalities[0] !== undefined && { nationality: own.nationalities[0] }),
    ...(turn % 2 === 0 && own.schema !== 'Other' && { schema: own.schema }),
  };
}

const components = ({
  aliasUnfoldScore,
  dobScore,
  effectiveWeights,
  nameScore,
  nationalityScore,
  phoneticScore,
}: Candidate) => ({
  aliasUnfoldScore,
  dobScore,
  effectiveWeights,
  nameScore,
  nationalityScore,
  phoneticScore,
});

function weighted(candidate: Candidate): number {
  const { effectiveWeights: weights } = candidate;
  return (
    weights.name * candidate.nameScore +
    weights.phonetic * (candidate.phoneticScore ?? 0) +
    weights.dob * (candidate.dobScore ?? 0) +
    weights.nationality * (candidate.nationalityScore ?? 0) +
    weights.alias * (candidate.aliasUnfoldScore ?? 0)
  );
}

test('effective weights × components are the score that 1.1.0 gives, of many pairs', async () => {
  const engine = createEngine({ queueMax: 1, threads: 0 });
  const index = engine.load(buildSnapshot(entities));
  const screen = async (query: RawQuery, more: Partial<ScorerSettings>) => {
    const settings = { ...SETTINGS, answerScoreMin: 0, ...more };
    const answer = await engine.screen({ deadlineMs: 10_000, indexes: [index], query, settings });
    return new Map(answer.candidates.map((one) => [one.id, one]));
  };
  let compared = 0;
  for (let turn = 0; turn < 160; turn++) {
    const query = queryOf(turn);
    const beside = await screen(query, { version: '2.0.0' });
    const alone = await screen(query, { version: '1.1.0' });
    for (const [id, one] of beside) {
      const own = alone.get(id);
      if (own === undefined) continue;
      compared += 1;
      expect(components(one), `${query.name} | ${id}`).toEqual(components(own));
      expect(weighted(one)).toBeCloseTo(own.directScore, 6);
    }
  }
  index.release();
  await engine.close();
  expect(compared).toBeGreaterThan(1_000);
});
