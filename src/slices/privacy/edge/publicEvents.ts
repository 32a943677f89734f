/**
 * What privacy tells customers' own systems: whom they have to erase, too, by the request's id.
 * They are told with the approval and never again: when the work is done depends on what holds it.
 */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { requestTarget } from '#slices/privacy';
import type { SliceProcess } from '../../processes.ts';

const approved: PublicEvent<SliceProcess> = {
  name: 'privacy.erasure.approved',
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: 'privacy.erasure.approved',
  since: '2026-11-26',
  description:
    'A request for erasure was approved, so your own systems erase, too, but for what a law or ' +
    'an order has you keep; `retained_until` where the law keeps a part of it here.',
  about: 'request_id',
  schema: Type.Object({
    approved_at: Type.String({ format: 'date-time' }),
    request_id: Type.String({ format: 'uuid' }),
    retained_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  }),
  example: {
    approved_at: '2026-01-31T06:00:00.000Z',
    request_id: '019a0b2c-7d4e-7000-8000-000000000000',
    retained_until: '2036-01-31T06:00:00.000Z',
  },
  /** As the signed entry tells it. Throws `evidence-altered` where none does. */
  dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
    const requestId = String(payload.request_id);
    const told = await entryAbout(
      { audit, keyRing },
      {
        actions: ['privacy.request.approved'],
        chainId: chainOf(partition as TenantId),
        near: createdAt as EpochMs,
        target: requestTarget(requestId),
      },
    );
    return {
      approved_at: told.occurred_at ?? toTimestamp(createdAt as EpochMs),
      request_id: requestId,
      retained_until: told.kept_until,
    };
  },
};

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [approved];
