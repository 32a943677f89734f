/** What cases tell customers' systems, as their signed entries say it. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { caseTarget } from '#slices/customers';
import type { SliceProcess } from '../../processes.ts';
import { verdictPublished } from './verdictEvent.ts';

const EXAMPLE_ID = '019a0b2c-7d4e-7000-8000-000000000000';
const EXAMPLE_AT = '2026-01-31T06:00:00.000Z';

const created: PublicEvent<SliceProcess> = {
  name: 'kyc.case.created',
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: 'kyc.case.created',
  since: '2026-11-26',
  description: 'A case of identity verification was opened.',
  schema: Type.Object({
    case_id: Type.String({ format: 'uuid' }),
    created_at: Type.String({ format: 'date-time' }),
    external_ref: Type.String(),
    status: Type.String(),
    subject_type: Type.String(),
    workflow_code: Type.String(),
  }),
  example: {
    case_id: EXAMPLE_ID,
    created_at: EXAMPLE_AT,
    external_ref: 'client-000123',
    status: 'open',
    subject_type: 'individual',
    workflow_code: 'individual_standard',
  },
  /** As the signed entry tells it. Throws `evidence-altered` where none does. */
  dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
    const caseId = String(payload.case_id);
    const told = await entryAbout(
      { audit, keyRing },
      {
        actions: ['kyc.case.created'],
        chainId: chainOf(partition as TenantId),
        near: createdAt as EpochMs,
        target: caseTarget({ caseId }),
      },
    );
    return {
      case_id: caseId,
      created_at: told.occurred_at ?? toTimestamp(createdAt as EpochMs),
      external_ref: told.external_ref,
      status: told.status,
      subject_type: told.subject_type,
      workflow_code: told.workflow_code,
    };
  },
};

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [created, verdictPublished];
