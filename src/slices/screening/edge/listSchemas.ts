/** The lists in force, as `GET /v1/sanctions/lists` shows them. */
import { Type } from 'typebox';
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { ListRun } from '#slices/ingestion';
import { type ListVersion, releaseAgeMs } from '#slices/lists';
import { NullableTime } from '../../../api/nullable.ts';

const Count = Type.Integer({ minimum: 0 });

export const ListsInForceResult = Type.Object({
  data: Type.Array(
    Type.Object({
      source_id: Type.String(),
      list_version: Type.String({ description: 'v<date>.<letter>' }),
      list_digest: Type.String({ description: 'SHA-256, 64 hex characters' }),
      content_digest: Type.String({ description: 'SHA-256, 64 hex characters' }),
      entity_count: Type.Integer(),
      name_count: Type.Integer(),
      entities_by_category: Type.Union([Type.Record(Type.String(), Count), Type.Null()], {
        description:
          'An entity of several categories counts for each; null for a list of over 200,000 ' +
          'entities, and where it is not counted yet',
      }),
      release_date: Type.String({ description: 'Date of the publisher’s release' }),
      published_at: Type.String({ format: 'date-time' }),
      age_s: Type.Integer({ description: 'Since the day of the publisher’s release' }),
      next_fire_at: NullableTime,
      enabled_by_policy: Type.Boolean({ description: 'Whether your screenings use it' }),
      last_change: Type.Union(
        [Type.Object({ added: Count, updated: Count, removed: Count }), Type.Null()],
        {
          description:
            'What this version has changed; null where the run is no longer kept (90 days)',
        },
      ),
    }),
  ),
  next_cursor: Type.Null({ description: 'There are no further pages' }),
  list_version: Type.Union([Type.String(), Type.Null()], {
    description: 'What a screening against all of them names as its list_version',
  }),
});

/** What is known of a version beside it. */
export interface ListKnown {
  readonly categories: Readonly<Record<string, number>> | undefined;
  readonly isEnabled: boolean;
  readonly nextFireAt: EpochMs | undefined;
  readonly now: EpochMs;
  readonly run: ListRun | undefined;
}

export function presentList(version: ListVersion, known: ListKnown): object {
  const { categories, isEnabled, nextFireAt, now, run } = known;
  return {
    source_id: version.sourceId,
    list_version: version.listVersion,
    list_digest: version.listDigest,
    content_digest: version.contentDigest,
    entity_count: version.entityCount,
    name_count: version.nameCount,
    entities_by_category: categories ?? null,
    release_date: version.releaseDate,
    published_at: toTimestamp(version.publishedAt),
    age_s: Math.floor(releaseAgeMs(version, now) / 1_000),
    next_fire_at: nextFireAt === undefined ? null : toTimestamp(nextFireAt),
    enabled_by_policy: isEnabled,
    last_change: changeOf(run),
  };
}

function changeOf(run: ListRun | undefined) {
  const { addedCount, removedCount, updatedCount } = run ?? {};
  if (addedCount === undefined && removedCount === undefined && updatedCount === undefined) {
    return null;
  }
  return { added: addedCount ?? 0, updated: updatedCount ?? 0, removed: removedCount ?? 0 };
}
