/** The lists in force, as `GET /v1/sanctions/lists` shows them. */
import { Type } from 'typebox';
import { toTimestamp } from '#platform/clock';
import type { ListVersion } from '#slices/lists';

export const ListsInForceResult = Type.Object({
  data: Type.Array(
    Type.Object({
      source_id: Type.String(),
      list_version: Type.String({ description: 'v<date>.<letter>' }),
      list_digest: Type.String({ description: 'SHA-256, 64 hex characters' }),
      content_digest: Type.String({ description: 'SHA-256, 64 hex characters' }),
      entity_count: Type.Integer(),
      name_count: Type.Integer(),
      release_date: Type.String({ description: 'Date of the publisher’s release' }),
      published_at: Type.String({ format: 'date-time' }),
    }),
  ),
  next_cursor: Type.Null({ description: 'There are no further pages' }),
  list_version: Type.Union([Type.String(), Type.Null()], {
    description: 'What a screening against all of them names as its list_version',
  }),
});

export function presentList(version: ListVersion): object {
  return {
    source_id: version.sourceId,
    list_version: version.listVersion,
    list_digest: version.listDigest,
    content_digest: version.contentDigest,
    entity_count: version.entityCount,
    name_count: version.nameCount,
    release_date: version.releaseDate,
    published_at: toTimestamp(version.publishedAt),
  };
}
