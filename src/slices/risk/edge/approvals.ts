/** Policies and levels of clients at `/v1/approvals`: asked for by one person, signed by others. */
import { Type } from 'typebox';
import { type Approvable, type Principal, RISK_ROLE_PAIR, signedAuthorOf } from '#core/identity';
import { DomainError } from '#core/kernel';
import { requireLastEditor } from '#slices/approvals';
import {
  approvalsLeft,
  approveAsked,
  LEVELS,
  overrideClient,
  overrideSubject,
  type RiskPolicy,
  requireRiskClient,
  requireUntil,
  shownPolicy,
  submittedPolicy,
} from '#slices/risk';
import {
  type AskedPublication,
  approvablePublication,
  ContentHash,
} from '../../../api/approvablePublication.ts';
import { Instant, instantOf } from '../../../api/instants.ts';
import { Nullable } from '../../../api/nullable.ts';
import { compileSchema } from '../../../api/validate.ts';
import type { GatewayProcess } from '../../processes.ts';
import { OVERRIDE_ROLE_PAIR, roles } from '../roles.ts';
import { riskPortsOf } from './parts.ts';
import { oneOf } from './policySchemas.ts';
import { presentEvaluation, presentPolicy } from './presentation.ts';

const INSTANT_CHARS_MAX = 32;

/** What is signed as `new_value`; `signing` of a submitted policy has it. */
const Publication = Type.Object(
  {
    backtest_sha256: ContentHash,
    content_hash: ContentHash,
    effective_at: Nullable('string', { maxLength: INSTANT_CHARS_MAX }),
    shadow_sha256: ContentHash,
  },
  { additionalProperties: false },
);

const placeOf = ({ author, id, newValue }: AskedPublication<unknown>) => ({
  newValue,
  policyId: id,
  tenantId: author.tenantId,
});

export const approvals = (process: GatewayProcess): Readonly<Record<string, Approvable>> => ({
  'risk-client': clientLevel(process),
  'risk-policy': approvablePublication({
    apply: async (asked, by) => {
      const ports = riskPortsOf(process);
      const answerOf = (policy: RiskPolicy) => ({
        body: JSON.stringify(presentPolicy(policy)),
        status: 200,
      });
      return answerOf(await approveAsked(ports, { ...placeOf(asked), answerOf, by }));
    },
    authorSigns: false,
    check: async (asked) => {
      const ports = riskPortsOf(process);
      const policy = await submittedPolicy(ports, placeOf(asked));
      await requireLastEditor(ports, asked.author, signedAuthorOf(policy));
    },
    resourceOf: (id) => `risk-policy:${id}`,
    rolePair: RISK_ROLE_PAIR,
    roles: roles.draft,
    schema: Publication,
    show: async (asked) => {
      const ports = riskPortsOf(process);
      return shownPolicy(ports, await submittedPolicy(ports, placeOf(asked)));
    },
    signaturesLeft: async (asked) => {
      const ports = riskPortsOf(process);
      return approvalsLeft(ports, await submittedPolicy(ports, placeOf(asked)));
    },
  }),
});

const GivenLevel = Type.Object(
  { level: oneOf(LEVELS), until: Instant('When it ends') },
  { additionalProperties: false },
);
const validate = compileSchema(GivenLevel);

/** A level that lowers; the reason of the request is that of the level. */
function clientLevel(process: GatewayProcess): Approvable {
  return {
    async check({ author, field, id: clientId, newValue }) {
      const violations =
        field === 'level'
          ? validate(newValue).map((one) => ({ ...one, pointer: `/new_value${one.pointer}` }))
          : [{ code: 'format', detail: 'field: expected level', pointer: '/field' }];
      if (violations.length > 0) throw new DomainError('body-invalid', { violations });
      const { level, until: text } = newValue as {
        readonly level: (typeof LEVELS)[number];
        readonly until: string;
      };
      const ports = riskPortsOf(process);
      const until = instantOf(text, '/new_value/until');
      requireUntil(until, ports.clock.now());
      const { tenantId } = author;
      const client = await requireRiskClient(ports, { clientId, tenantId });
      return {
        async apply(by) {
          const wanted = { level, reason: by.reason, until };
          const ask = { clientId, principal: author as Principal, tenantId };
          const { idempotency } = by;
          const answerOf = (evaluation: Parameters<typeof presentEvaluation>[0]) => ({
            body: JSON.stringify(presentEvaluation(evaluation)),
            status: 201,
          });
          const kept = idempotency && {
            kept: (made: Parameters<typeof presentEvaluation>[0]) => idempotency(answerOf(made)),
          };
          const made = await overrideClient(ports, { ...ask, ...kept }, wanted, by);
          return answerOf(made.evaluation);
        },
        show: async () => ({
          new: { level },
          old: { evaluated_level: client.evaluatedLevel, level: client.level },
        }),
        subject: overrideSubject(clientId, { level, until }),
      };
    },
    rolePair: OVERRIDE_ROLE_PAIR,
    roles: roles.override,
  };
}
