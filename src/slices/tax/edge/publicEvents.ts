/** What tax reporting tells customers' systems, as its signed entries say it. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { declarationTarget } from '#slices/tax';
import type { SliceProcess } from '../../processes.ts';

const generated: PublicEvent<SliceProcess> = {
  name: 'tcr.declaration.generated',
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: 'tcr.declaration.generated',
  since: '2026-11-26',
  description: 'The XML of a declaration is there, and valid.',
  about: 'declaration_id',
  schema: Type.Object({
    account_count: Type.Integer(),
    declaration_id: Type.String({ format: 'uuid' }),
    generated_at: Type.String({ format: 'date-time' }),
    reference: Type.String(),
  }),
  example: {
    account_count: 1204,
    declaration_id: '019a0b2c-7d4e-7000-8000-000000000000',
    generated_at: '2026-01-31T06:00:00.000Z',
    reference: 'TCR-2025-000001',
  },
  dataOf: async (row, process) => {
    const { told, ...of } = await toldBy(row, process, 'tcr.declaration.generated');
    return { ...of, account_count: told.account_count, generated_at: timeOf(told, row) };
  },
};

const submitted: PublicEvent<SliceProcess> = {
  name: 'tcr.declaration.submitted',
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: 'tcr.declaration.submitted',
  since: '2026-11-26',
  description: 'Every message of a declaration is with the authority.',
  about: 'declaration_id',
  schema: Type.Object({
    declaration_id: Type.String({ format: 'uuid' }),
    filed_at: Type.String({ format: 'date-time' }),
    reference: Type.String(),
  }),
  example: {
    declaration_id: '019a0b2c-7d4e-7000-8000-000000000000',
    filed_at: '2026-03-31T10:00:00.000Z',
    reference: 'TCR-2025-000001',
  },
  dataOf: async (row, process) => {
    const { told, ...of } = await toldBy(row, process, 'tcr.declaration.submitted');
    return { ...of, filed_at: timeOf(told, row) };
  },
};

type Row = Parameters<PublicEvent<SliceProcess>['dataOf']>[0];

/** As the signed entry tells it. Throws `evidence-altered` where none does. */
async function toldBy(
  { createdAt, partition, payload }: Row,
  { keyRing, storage: { audit } }: SliceProcess,
  action: string,
) {
  const declarationId = String(payload.declaration_id);
  const told = await entryAbout(
    { audit, keyRing },
    {
      actions: [action],
      chainId: chainOf(partition as TenantId),
      near: createdAt as EpochMs,
      target: declarationTarget({ declarationId }),
    },
  );
  return { declaration_id: declarationId, reference: told.reference, told };
}

const timeOf = (told: Awaited<ReturnType<typeof entryAbout>>, { createdAt }: Row) =>
  told.occurred_at ?? toTimestamp(createdAt as EpochMs);

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [generated, submitted];
