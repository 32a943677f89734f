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
  /** As the signed entry tells it. Throws `evidence-altered` where none does. */
  dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
    const declarationId = String(payload.declaration_id);
    const told = await entryAbout(
      { audit, keyRing },
      {
        actions: ['tcr.declaration.generated'],
        chainId: chainOf(partition as TenantId),
        near: createdAt as EpochMs,
        target: declarationTarget({ declarationId }),
      },
    );
    return {
      account_count: told.account_count,
      declaration_id: declarationId,
      generated_at: told.occurred_at ?? toTimestamp(createdAt as EpochMs),
      reference: told.reference,
    };
  },
};

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [generated];
