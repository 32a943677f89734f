/** What cases tell customers' systems, as their signed entries say it. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId, type ToldEvent } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { caseTarget } from '#slices/customers';
import { Nullable } from '../../../api/nullable.ts';
import type { SliceProcess } from '../../processes.ts';
import { verdictPublished } from './verdictEvent.ts';

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

const DECIDED = {
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
};
const DECIDED_EXAMPLE = {
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
};

async function decidedData(told: ToldEvent, process: SliceProcess) {
  const { event_id, hash, seq, ...entry } = await decidedIn(told, process);
  const data = {
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
  return { data, sessionId: entry.session_id };
}

const decided: PublicEvent<SliceProcess> = {
  ...COMMON,
  name: 'kyc.case.decided',
  catalogs: ['A'],
  twin: 'case.decided',
  about: 'case_id',
  schema: Type.Object(DECIDED),
  example: DECIDED_EXAMPLE,
  dataOf: async (told, process) => (await decidedData(told, process)).data,
};

/** What is signed of a decision, beside the webhook's own signature. */
const decisionMessage = (data: object): Uint8Array =>
  Buffer.from(`kyc-decision-v1\0${canonicalJson(data as never)}`, 'utf8');

const decidedOfSession: PublicEvent<SliceProcess> = {
  ...COMMON,
  name: 'kyc.decision',
  catalogs: ['A', 'B'],
  isBeside: true,
  about: 'case_id',
  description:
    'A case that came through an onboarding session was decided. The signature is Ed25519 over ' +
    '`kyc-decision-v1`, a zero byte and the other members but `key_id` (RFC 8785).',
  schema: Type.Object({
    ...DECIDED,
    key_id: Type.String({ description: 'A key of `/.well-known/jwks.json`' }),
    session_id: Type.String({ format: 'uuid' }),
    signature: Type.String({ description: 'Base64' }),
  }),
  example: {
    ...DECIDED_EXAMPLE,
    key_id: 'a'.repeat(43),
    session_id: EXAMPLE_ID,
    signature: `${'A'.repeat(86)}==`,
  },
  dataOf: async (told, process) => {
    const { data, sessionId } = await decidedData(told, process);
    if (typeof sessionId !== 'string') return undefined;
    const signed = { ...data, session_id: sessionId };
    const { signer } = process;
    const signature = Buffer.from(signer.sign(decisionMessage(signed))).toString('base64');
    return { ...signed, key_id: signer.keyId, signature };
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

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  created,
  decided,
  decidedOfCase,
  decidedOfSession,
  verdictPublished,
];
