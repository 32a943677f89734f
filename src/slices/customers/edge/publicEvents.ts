/** What cases tell customers' systems, as their signed entries say it. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId, type ToldEvent } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { caseTarget } from '#slices/customers';
import { Nullable } from '../../../api/nullable.ts';
import type { SliceProcess } from '../../processes.ts';

const EXAMPLE_ID = '019a0b2c-7d4e-7000-8000-000000000000';
const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));

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

const COMMON = {
  audience: 'tenant',
  description: 'A case was approved or rejected, by a person or by its workflow.',
  since: '2026-11-26',
  topic: 'kyc.case.decided',
} as const;

/** The entry of the decision, of those that its case has. Throws `evidence-altered`. */
const decidedIn = (
  { createdAt, partition, payload }: ToldEvent,
  { keyRing, storage: { audit } }: SliceProcess,
) =>
  entryAbout(
    { audit, keyRing },
    {
      actions: ['kyc.case.decision_made'],
      chainId: chainOf(partition as TenantId),
      isIt: ({ decision_id }) => decision_id === payload.decision_id,
      near: createdAt as EpochMs,
      target: caseTarget({ caseId: String(payload.case_id) }),
    },
  );

const decided: PublicEvent<SliceProcess> = {
  ...COMMON,
  name: 'kyc.case.decided',
  catalogs: ['A'],
  twin: 'case.decided',
  about: 'case_id',
  schema: Type.Object({
    audit: Type.Object({
      event_id: Type.String({ format: 'uuid' }),
      hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      seq: Type.Integer(),
    }),
    case_id: Type.String({ format: 'uuid' }),
    confirmed_by: Nullable('string'),
    decided_at: Type.String({ format: 'date-time' }),
    decided_by: Type.String(),
    decision: oneOf(['approved', 'rejected']),
    external_ref: Type.String(),
    mode: oneOf(['automatic', 'manual']),
    reason_code: Type.String(),
    risk_tier: Nullable('string'),
  }),
  example: {
    audit: { event_id: EXAMPLE_ID, hash: 'a'.repeat(64), seq: 42 },
    case_id: EXAMPLE_ID,
    confirmed_by: null,
    decided_at: EXAMPLE_AT,
    decided_by: `person:${EXAMPLE_ID}`,
    decision: 'rejected',
    external_ref: 'client-000123',
    mode: 'manual',
    reason_code: 'document_forged',
    risk_tier: 'standard',
  },
  dataOf: async (told, process) => {
    const { event_id, hash, seq, ...entry } = await decidedIn(told, process);
    return {
      audit: { event_id, hash, seq },
      case_id: String(told.payload.case_id),
      confirmed_by: entry.confirmed_by,
      decided_at: entry.decided_at,
      decided_by: entry.decided_by,
      decision: entry.decision,
      external_ref: entry.external_ref,
      mode: entry.mode,
      reason_code: entry.reason_code,
      risk_tier: entry.risk_tier,
    };
  },
};

const decidedOfCase: PublicEvent<SliceProcess> = {
  ...COMMON,
  name: 'case.decided',
  catalogs: ['B'],
  twin: 'kyc.case.decided',
  about: 'caseId',
  schema: Type.Object({
    caseId: Type.String({ format: 'uuid' }),
    confirmedBy: Nullable('string'),
    decidedBy: Type.String(),
    decision: oneOf(['APPROVED', 'REJECTED']),
    decisionAt: Type.String({ format: 'date-time' }),
  }),
  example: {
    caseId: EXAMPLE_ID,
    confirmedBy: null,
    decidedBy: `person:${EXAMPLE_ID}`,
    decision: 'APPROVED',
    decisionAt: EXAMPLE_AT,
  },
  dataOf: async (told, process) => {
    const entry = await decidedIn(told, process);
    return {
      caseId: String(told.payload.case_id),
      confirmedBy: entry.confirmed_by,
      decidedBy: entry.decided_by,
      decision: String(entry.decision).toUpperCase(),
      decisionAt: entry.decided_at,
    };
  },
};

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [created, decided, decidedOfCase];
