/** Settings and small lists for engine tests; one engine call that keeps nothing. */
import {
  buildSnapshot,
  type Candidate,
  createEngine,
  type EngineAnswer,
  type IndexEntity,
  type RawQuery,
  type ScorerSettings,
} from '../../src/engine/index.ts';

export const SETTINGS: ScorerSettings = {
  version: '1.0.0',
  weights: { name: 0.4, phonetic: 0.15, dob: 0.2, nationality: 0.1, alias: 0.15 },
  missingAttributes: 'rescale',
  phoneticNames: 'all',
  boosts: { SAN: 1, PEP: 0.85, RCA: 0.7, SI: 0.9, DI: 0.75 },
  topN: 50,
};

/** An entity with what a test leaves out filled in. */
export function entity(part: Partial<IndexEntity> & { readonly id: string }): IndexEntity {
  return {
    schema: 'Person',
    names: [part.id],
    datesOfBirth: [],
    nationalities: [],
    categories: 1,
    card: `card of ${part.id}`,
    ...part,
  };
}

/** Screens on the caller's thread and lets go of everything. */
export async function screen(
  entities: readonly IndexEntity[],
  raw: Partial<RawQuery> & { readonly name: string },
  settings: Partial<ScorerSettings> = {},
): Promise<EngineAnswer> {
  const engine = createEngine({ threads: 0, queueMax: 1 });
  const index = engine.load(buildSnapshot(entities));
  try {
    return await engine.screen({
      query: { transliterations: [], ...raw },
      indexes: [index],
      settings: { ...SETTINGS, ...settings },
      deadlineMs: 10_000,
    });
  } finally {
    index.release();
    await engine.close();
  }
}

/** The candidate of a list of one entity. */
export async function scoreOne(
  part: Partial<IndexEntity>,
  raw: Partial<RawQuery> & { readonly name: string },
  settings: Partial<ScorerSettings> = {},
): Promise<Candidate> {
  // Others beside it, so that no step of the retrieval sees a list of one.
  const others = ['zzz quux', 'yyy xyzzy'].map((name, at) =>
    entity({ id: `other-${at}`, names: [name], categories: 2 }),
  );
  const { candidates } = await screen([entity({ id: 'one', ...part }), ...others], raw, settings);
  const found = candidates.find(({ id }) => id === 'one');
  if (found === undefined) throw new Error('scoreOne: the entity is not among the candidates');
  return found;
}
