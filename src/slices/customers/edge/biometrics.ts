/** Verdicts of biometrics, posted by the system of a tenant's provider. */
import { Type } from 'typebox';
import { inWords } from '#core/kernel';
import { type GivenVerdict, takeVerdict, VERDICTS, type VerdictPorts } from '#slices/customers';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import {
  answerChange,
  type CaseRouteOptions,
  CHANGE_PROBLEMS,
  changing,
  ONE_PATH,
} from './routeOptions.ts';
import { oneOf, STRICT, Time, Uuid, Words } from './schemas.ts';

/** What the operation is made of. */
export interface VerdictRouteOptions extends CaseRouteOptions {
  readonly verdicts: () => VerdictPorts;
}

const ID_CHARS_MAX = 128;
const SUBSCORES_MAX = 20;
const Score = Type.Number({ maximum: 1, minimum: 0 });
const VerdictBody = Type.Object(
  {
    verificationId: Words(ID_CHARS_MAX, 'The provider’s own id of the verification'),
    verdict: oneOf(VERDICTS),
    scoreConsolidated: Score,
    subscores: Type.Record(
      Type.String({
        maxLength: 64,
        ...inWords('a word of lower-case letters and underscores', '^[a-z][a-z0-9_]{0,63}$'),
      }),
      Score,
      { maxProperties: SUBSCORES_MAX },
    ),
    provider: Words(ID_CHARS_MAX, 'As the workflow names it'),
  },
  STRICT,
);
const VerdictResult = Type.Object({
  audit: Type.Object({ event_id: Uuid, hash: Type.String(), seq: Type.Integer() }),
  case_id: Uuid,
  check: Type.Object({ at: Time, check_id: Uuid, status: Type.String() }),
  verdict: oneOf(VERDICTS),
  verificationId: Type.String(),
});

export const verdictOperations = (options: VerdictRouteOptions): Operation[] => [
  {
    ...changing(options),
    id: 'postBiometricVerdict',
    path: `${ONE_PATH}/biometric-verdicts`,
    problems: [...CHANGE_PROBLEMS, 'processing-restricted'],
    roles: roles.biometrics,
    summary: 'Post the verdict of a provider of biometrics; it is a check of the case',
    description:
      'The workflow of the case names the provider, and the customer has agreed to ' +
      '`biometric_processing`. No image and no template is taken.',
    body: VerdictBody,
    example: {
      provider: 'provider-1',
      scoreConsolidated: 0.97,
      subscores: { face_match: 0.96, liveness: 0.98 },
      verdict: 'PASS',
      verificationId: 'v-000123',
    },
    responses: { 201: { description: 'The check', schema: VerdictResult } },
    handle: (context) => {
      const given = context.body as GivenVerdict;
      return answerChange(options, context, {
        change: (_, ask) => takeVerdict(options.verdicts(), ask, given),
        present: ({ record, sealed: [event] }) => {
          const made = record.checks.find(({ type }) => type === 'biometric');
          return {
            audit: { event_id: event?.eventId, hash: event?.hash, seq: event?.seq },
            case_id: record.caseId,
            check: {
              at: new Date(made?.at ?? 0).toISOString(),
              check_id: made?.checkId,
              status: made?.status,
            },
            verdict: given.verdict,
            verificationId: given.verificationId,
          };
        },
        status: 201,
      });
    },
  },
];
