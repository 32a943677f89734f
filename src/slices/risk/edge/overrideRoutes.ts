/** Where a client stands over HTTP, and the level that a person gives them. */
import type { ApprovedBy } from '#core/identity';
import {
  type Evaluation,
  endOverride,
  MANUAL_MONTHS_MAX,
  needsSecond,
  overrideClient,
  overrideSubject,
  requireRiskClient,
  type WantedLevel,
} from '#slices/risk';
import { requireApproval } from '../../../api/dualControlHeaders.ts';
import { SIGNING_PROBLEMS } from '../../../api/givenSignatures.ts';
import { instantOf } from '../../../api/instants.ts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { OVERRIDE_ROLE_PAIR, roles } from '../roles.ts';
import { presentClient, presentEvaluation } from './presentation.ts';
import { COMMON, READING, type RiskRouteOptions } from './routeOptions.ts';
import {
  ClientSchema,
  EndOverrideBody,
  EvaluationSchema,
  OverrideBody,
  type OverrideGiven,
} from './schemas.ts';

const PATH = '/v1/risk/clients/{client_id}';
const BODY_BYTES_MAX = 64 * 1024;
const PROBLEMS = [
  'blob-damaged',
  'evidence-altered',
  'override-forbidden',
  'person-required',
  'risk-client-unknown',
  'state-altered',
  'state-conflict',
  'subject-erased',
] as const;
const CHANGING = {
  ...COMMON,
  bodyBytesMax: BODY_BYTES_MAX,
  idempotency: 'required',
  method: 'POST',
  responses: {
    201: { description: 'The evaluation by which it counts', schema: EvaluationSchema },
  },
  roles: roles.override,
  scope: 'risk:write',
} as const;

export const overrideOperations = (options: RiskRouteOptions): Operation[] => [
  get(options),
  override(options),
  end(options),
];

const placeOf = ({ params, tenantId }: Pick<OperationContext, 'params' | 'tenantId'>) => ({
  clientId: params.client_id ?? '',
  tenantId,
});

const get = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'getRiskClient',
  path: PATH,
  problems: ['risk-client-unknown', 'state-altered'],
  roles: roles.readClients,
  summary: 'Where a client stands: by the policy, and by whoever gave them a level',
  responses: { 200: { description: 'The client', schema: ClientSchema } },
  async handle(context) {
    const ports = options.ports();
    const client = await requireRiskClient(ports, placeOf(context));
    return { body: presentClient(client, ports.clock.now()), status: 200 };
  },
});

const override = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'overrideRiskClient',
  path: `${PATH}/override`,
  problems: [...PROBLEMS, ...SIGNING_PROBLEMS, 'dual-control-header-missing'],
  summary: 'Give a client a level, with a reason and an end',
  description:
    `It holds until its end, ${MANUAL_MONTHS_MAX} months at the most. A level that lowers needs ` +
    'the headers of dual control (`X-User-Id`, `X-Approval-User-Id`, `X-Approval-Signature`, ' +
    '`X-Approval-Timestamp`): `resource` = `risk-client:<client id>`, `field` = `level`, ' +
    '`new_value` = `{level, until}`, `until` in UTC with milliseconds. It is never below an ' +
    'override of the policy that fired, and ends where the policy comes to a higher level than ' +
    'it had.',
  body: OverrideBody,
  example: {
    level: 'HIGH',
    reason: 'Adverse press about the owner in the regional papers, not yet on any list',
    until: '2026-12-31T00:00:00.000Z',
  },
  async handle(context) {
    const ports = options.ports();
    const place = placeOf(context);
    const { level, reason, until } = context.body as OverrideGiven;
    const wanted: WantedLevel = { level, reason, until: instantOf(until, '/until') };
    const { idempotency, reply } = kept<Evaluation>(ports, context, ANSWER);
    const client = await requireRiskClient(ports, place);
    // The evaluation by which it counts may come to a higher level: who has signed is heard.
    const isSecond = isSigned(context) || needsSecond(client, wanted);
    const by: ApprovedBy | undefined = isSecond
      ? {
          approval: await requireApproval(ports, context, {
            rolePair: OVERRIDE_ROLE_PAIR,
            subject: overrideSubject(place.clientId, wanted),
          }),
          reason,
        }
      : undefined;
    const ask = { ...askedBy(context), ...place, ...keptAs(idempotency) };
    return reply((await overrideClient(ports, ask, wanted, by)).evaluation);
  },
});

const isSigned = ({ request }: OperationContext): boolean =>
  request.header('x-approval-signature') !== undefined;

const end = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'endRiskOverride',
  path: `${PATH}/override/end`,
  problems: PROBLEMS,
  summary: 'End the level that a person gave a client, where the client does not stand lower by it',
  body: EndOverrideBody,
  example: { reason: 'The press corrected its report; the owner is somebody else of that name' },
  async handle(context) {
    const ports = options.ports();
    const { reason } = context.body as { readonly reason: string };
    const { idempotency, reply } = kept<Evaluation>(ports, context, ANSWER);
    const ask = { ...askedBy(context), ...placeOf(context), ...keptAs(idempotency), reason };
    return reply((await endOverride(ports, ask)).evaluation);
  },
});

const ANSWER = { present: presentEvaluation, status: 201 } as const;

/** The answer is kept with the commit of the evaluation. */
const keptAs = ({ idempotency }: ReturnType<typeof kept<Evaluation>>['idempotency']) =>
  idempotency === undefined ? {} : { kept: idempotency };
