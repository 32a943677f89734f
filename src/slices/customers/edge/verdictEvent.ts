/** The event of a biometric verdict, as its signed entry says it. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { caseTarget, VERDICTS } from '#slices/customers';
import type { SliceProcess } from '../../processes.ts';
import { oneOf } from './schemas.ts';

const Score = Type.Number({ maximum: 1, minimum: 0 });

export const verdictPublished: PublicEvent<SliceProcess> = {
  name: 'bio.verdict.published',
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: 'bio.verdict.published',
  since: '2026-11-26',
  description: 'A provider of biometrics has posted its verdict for a case.',
  schema: Type.Object({
    scoreConsolidated: Score,
    subscores: Type.Record(Type.String(), Score),
    verdict: oneOf(VERDICTS),
    verificationId: Type.String(),
  }),
  example: {
    scoreConsolidated: 0.97,
    subscores: { face_match: 0.96, liveness: 0.98 },
    verdict: 'PASS',
    verificationId: 'v-000123',
  },
  /** Throws `evidence-altered` where no entry tells of it. */
  dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
    const told = await entryAbout(
      { audit, keyRing },
      {
        actions: ['kyc.biometric.liveness_score'],
        chainId: chainOf(partition as TenantId),
        isIt: ({ verification_id }) => verification_id === payload.verification_id,
        near: createdAt as EpochMs,
        target: caseTarget({ caseId: String(payload.case_id) }),
      },
    );
    return {
      scoreConsolidated: told.score_consolidated,
      subscores: told.subscores,
      verdict: told.verdict,
      verificationId: told.verification_id,
    };
  },
};
