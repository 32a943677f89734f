/**
 * Run as a program: prints digests of a snapshot, an overlay and all answers over them, on so many
 * threads. Two hosts, two versions of Node or two numbers of threads agree when the line does.
 */
import { createHash } from 'node:crypto';
import { syntheticEntities } from '../../bench/names.ts';
import { noisyQueries } from '../../bench/noise.ts';
import { buildOverlay, buildSnapshot, createEngine } from '../../src/engine/index.ts';
import { RERANKER_VERSIONS } from '../../src/engine/rerankers.ts';
import { SETTINGS } from './fixtures.ts';

const ENTITIES = 400;
const QUERIES = 66;

const digest = (content: string | SharedArrayBuffer): string =>
  createHash('sha256')
    .update(typeof content === 'string' ? content : Buffer.from(content))
    .digest('hex')
    .slice(0, 32);

const threads = Number(process.argv[2] ?? 0);
const entities = syntheticEntities(ENTITIES, 61);
const base = buildSnapshot(entities);
const overlay = buildOverlay({
  base,
  removed: entities.slice(0, 9).map(({ id }) => id),
  changed: entities.slice(9, 30).map((entity) => ({ ...entity, nationalities: ['TN'] })),
});
const engine = createEngine({ threads, queueMax: 1_000 });
const index = engine.load(base, overlay);
const answersOf = (version: string) =>
  Promise.all(
    noisyQueries(entities, QUERIES, 62).map(({ raw }) =>
      engine.screen({
        query: raw,
        indexes: [index],
        settings: { ...SETTINGS, version },
        deadlineMs: 60_000,
      }),
    ),
  );
const answers = await Promise.all(RERANKER_VERSIONS.map(answersOf));
console.log([base, overlay, ...answers.map((one) => JSON.stringify(one))].map(digest).join(' '));
await engine.close();
