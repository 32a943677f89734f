/** What reports tell customers' systems: that one was filed or acknowledged, and nothing of it. */
import { Type } from 'typebox';
import type { PublicEvent } from '#core/kernel';
import type { SliceProcess } from '../../processes.ts';

const schemaOf = (status: string) =>
  Type.Object({
    str_id: Type.String({ format: 'uuid' }),
    status: Type.Literal(status),
    at: Type.String({ format: 'date-time' }),
  });

const eventOf = (
  name: 'aml.str.acknowledged' | 'aml.str.submitted',
  of: { readonly status: string; readonly description: string },
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
  dataOf: async ({ payload: { at, status, str_id } }) => ({ at, status, str_id }),
});

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  eventOf('aml.str.submitted', {
    description:
      'A report to the authority was submitted. Only to endpoints that name it, and that ' +
      'compliance has opened for it.',
    status: 'submitted',
  }),
  eventOf('aml.str.acknowledged', {
    description:
      'The authority has acknowledged a report. Only to endpoints that name it, and that ' +
      'compliance has opened for it.',
    status: 'acknowledged',
  }),
];
