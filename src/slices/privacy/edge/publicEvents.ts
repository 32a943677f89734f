/** What privacy tells customers' own systems: whom they have to erase, too, by the request's id. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { requestTarget } from '#slices/privacy';
import type { SliceProcess } from '../../processes.ts';

const erased: PublicEvent<SliceProcess> = {
  name: 'privacy.subject.erased',
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: 'privacy.subject.erased',
  since: '2026-11-26',
  description:
    'A request for erasure was carried out; `retained_until` where the law keeps a part of it.',
  about: 'request_id',
  schema: Type.Object({
    erased_at: Type.String({ format: 'date-time' }),
    request_id: Type.String({ format: 'uuid' }),
    retained_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  }),
  example: {
    erased_at: '2026-01-31T06:00:00.000Z',
    request_id: '019a0b2c-7d4e-7000-8000-000000000000',
    retained_until: '2036-01-31T06:00:00.000Z',
  },
  /** As the signed receipt tells it. Throws `evidence-altered` where none does. */
  dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
    const requestId = String(payload.request_id);
    const told = await entryAbout(
      { audit, keyRing },
      {
        actions: ['privacy.subject.erased'],
        chainId: chainOf(partition as TenantId),
        near: createdAt as EpochMs,
        target: requestTarget(requestId),
      },
    );
    return {
      erased_at: told.occurred_at ?? toTimestamp(createdAt as EpochMs),
      request_id: requestId,
      retained_until: told.kept_until,
    };
  },
};

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [erased];
