/** What reports tell customers' systems: that one was filed or acknowledged, and nothing of it. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { targetOf } from '#slices/str';
import type { SliceProcess } from '../../processes.ts';

const schemaOf = (status: string) =>
  Type.Object({
    str_id: Type.String({ format: 'uuid' }),
    status: Type.Literal(status),
    at: Type.String({ format: 'date-time' }),
  });

const eventOf = (
  name: 'aml.str.acknowledged' | 'aml.str.submitted',
  of: {
    readonly action: 'str.acknowledged' | 'str.submitted';
    readonly status: string;
    readonly description: string;
  },
): PublicEvent<SliceProcess> => ({
  name,
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: name,
  isConfidential: true,
  since: '2026-11-25',
  description: of.description,
  schema: schemaOf(of.status),
  example: {
    str_id: '019a0b2c-7d4e-7000-8000-000000000000',
    status: of.status,
    at: '2026-01-31T06:00:00.000Z',
  },
  /** As the signed entry tells it. Throws `evidence-altered` where none does. */
  dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
    const strId = String(payload.str_id);
    const { occurred_at: at } = await entryAbout(
      { audit, keyRing },
      {
        actions: [of.action],
        chainId: chainOf(partition as TenantId),
        near: createdAt as EpochMs,
        target: targetOf({ strId }),
      },
    );
    return { at, status: of.status, str_id: strId };
  },
});

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  eventOf('aml.str.submitted', {
    action: 'str.submitted',
    description:
      'A report to the authority was submitted. Only to endpoints that name it, and that ' +
      'compliance has opened for it.',
    status: 'submitted',
  }),
  eventOf('aml.str.acknowledged', {
    action: 'str.acknowledged',
    description:
      'The authority has acknowledged a report. Only to endpoints that name it, and that ' +
      'compliance has opened for it.',
    status: 'acknowledged',
  }),
];
