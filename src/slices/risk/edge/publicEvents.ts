/** What risk tells customers' systems: where a client stands, as the signed entry says it. */
import { Type } from 'typebox';
import type { PublicEvent, TenantId } from '#core/kernel';
import { DIMENSIONS, LEVELS, requireEvaluation, shownScore } from '#slices/risk';
import { Nullable } from '../../../api/nullable.ts';
import type { SliceProcess } from '../../processes.ts';
import { riskPortsOf } from './parts.ts';
import { oneOf } from './policySchemas.ts';

const UNIT_BP = 10_000;
const Part = Type.Object({
  score: Type.Integer({ maximum: 100, minimum: 0 }),
  weight: Type.Number({ maximum: 1, minimum: 0 }),
});

const evaluated: PublicEvent<SliceProcess> = {
  name: 'risk.evaluation.published',
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: 'risk.evaluation.published',
  since: '2026-11-26',
  description: 'A client was evaluated: for the first time, on request, or to another level.',
  schema: Type.Object({
    clientId: Type.String({ format: 'uuid' }),
    dimensions: Type.Object(Object.fromEntries(DIMENSIONS.map((name) => [name, Part]))),
    level: oneOf(LEVELS),
    override: Nullable('string', { description: 'The first override that fired' }),
    policyVersion: Type.Integer({ minimum: 1 }),
    score: Type.Number({ maximum: 100, minimum: 0 }),
  }),
  example: {
    clientId: '019a0b2c-7d4e-7000-8000-000000000000',
    dimensions: {
      aml_screening: { score: 0, weight: 0.25 },
      channel: { score: 50, weight: 0.1 },
      client: { score: 40, weight: 0.25 },
      geo: { score: 60, weight: 0.25 },
      product: { score: 30, weight: 0.15 },
    },
    level: 'STANDARD',
    override: null,
    policyVersion: 1,
    score: 34.5,
  },
  /** Throws `evidence-altered` where the entry is not what was signed. */
  dataOf: async ({ partition, payload }, process) => {
    const { members } = await requireEvaluation(riskPortsOf(process), {
      evaluationId: String(payload.evaluation_id),
      tenantId: partition as TenantId,
    });
    return {
      clientId: members.client_id,
      dimensions: Object.fromEntries(
        members.dimensions.map(({ name, score, weight_bp }) => [
          name,
          { score, weight: weight_bp / UNIT_BP },
        ]),
      ),
      level: members.client_level,
      override: members.overrides[0]?.id ?? null,
      policyVersion: members.policy_version,
      score: shownScore(members.score),
    };
  },
};

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [evaluated];
