/**
 * What exclusions tell customers' systems: that one holds no more, by ids. The outbox says which;
 * how it ended is told as it was signed.
 */
import { Type } from 'typebox';
import type { PublicEvent, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { EXCLUSION_STATES, endedAsSigned } from '#slices/exclusions';
import type { SliceProcess } from '../../processes.ts';

const ExclusionEnded = Type.Object({
  exclusion_id: Type.String({ format: 'uuid' }),
  ftm_id: Type.String(),
  source: Type.String({ description: 'Source id of the list' }),
  status: Type.Union(
    EXCLUSION_STATES.filter((state) => state !== 'proposed' && state !== 'active').map((state) =>
      Type.Literal(state),
    ),
  ),
  was_active: Type.Boolean({ description: 'false: it was proposed, and never held' }),
  ended_at: Type.String({ format: 'date-time' }),
});

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    name: 'sanctions.exclusion.ended',
    catalogs: ['A', 'B'],
    audience: 'tenant',
    topic: 'sanctions.exclusion.ended',
    about: 'exclusion_id',
    since: '2026-11-23',
    description:
      'An exclusion holds no more: expired, revoked, or the list says something else of the party.',
    schema: ExclusionEnded,
    example: {
      exclusion_id: '019a0b2c-7d4e-7000-8000-000000000000',
      ftm_id: 'ofac-36',
      source: 'OFAC_SDN',
      status: 'ended_on_change',
      was_active: true,
      ended_at: '2026-11-23T12:00:00.000Z',
    },
    dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => ({
      ...(await endedAsSigned(
        { audit, keyRing },
        {
          exclusionId: String(payload.exclusion_id),
          near: createdAt as EpochMs,
          tenantId: partition as TenantId,
        },
      )),
    }),
  },
];
