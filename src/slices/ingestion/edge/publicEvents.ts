/** What the list service tells customers' systems: a list has changed. */
import { Type } from 'typebox';
import type { PublicEvent } from '#core/kernel';
import type { SliceProcess } from '../../processes.ts';

const Count = Type.Integer({ minimum: 0 });

const ListUpdated = Type.Object({
  source_id: Type.String(),
  list_version: Type.String(),
  kind: Type.String({ description: 'full or delta' }),
  added_count: Count,
  updated_count: Count,
  removed_count: Count,
  completed_at: Type.String({ format: 'date-time' }),
});

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    name: 'sanctions.list.updated',
    catalogs: ['A', 'B'],
    audience: 'all',
    topic: 'service.sanctions.lists.updated',
    since: '2026-11-23',
    description: 'A new version of a list is in force: what was added, changed and removed.',
    schema: ListUpdated,
    example: {
      source_id: 'OFAC_SDN',
      list_version: 'v2026-11-23.a',
      kind: 'delta',
      added_count: 3,
      updated_count: 11,
      removed_count: 1,
      completed_at: '2026-11-23T06:00:00.000Z',
    },
    dataOf: async ({ payload }) => ({
      added_count: payload.added_count,
      completed_at: payload.completed_at,
      kind: payload.kind,
      list_version: payload.list_version,
      removed_count: payload.removed_count,
      source_id: payload.source_id,
      updated_count: payload.updated_count,
    }),
  },
];
