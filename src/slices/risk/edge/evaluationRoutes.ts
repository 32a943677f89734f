/** Evaluations over HTTP: made, read, made again, and counted. */
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  countLevels,
  type Evaluation,
  evaluateClient,
  type Facts,
  listEvaluations,
  type RiskReplay,
  replayEvaluation,
  requireEvaluation,
  unknownClient,
} from '#slices/risk';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { askerOf } from './parts.ts';
import { presentEvaluation } from './presentation.ts';
import { COMMON, pageOf, READING, type RiskRouteOptions } from './routeOptions.ts';
import {
  DistributionSchema,
  EvaluateBody,
  EvaluationSchema,
  EvaluationsPage,
  EvaluationsQuery,
  ReplaySchema,
} from './schemas.ts';

const PATH = '/v1/risk/evaluations';
const ONE_PATH = `${PATH}/{evaluation_id}`;
const EVALUATE_BYTES_MAX = 64 * 1024;

export const evaluationOperations = (options: RiskRouteOptions): Operation[] => [
  evaluate(options),
  get(options),
  replay(options),
  list(options),
  distribution(options),
];

const evaluate = (options: RiskRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: EVALUATE_BYTES_MAX,
  id: 'evaluateClient',
  idempotency: 'required',
  method: 'POST',
  path: PATH,
  problems: [
    'blob-damaged',
    'evidence-altered',
    'facts-invalid',
    'risk-client-unknown',
    'state-altered',
    'subject-erased',
  ],
  roles: roles.evaluate,
  scope: 'risk:write',
  summary: 'Evaluate a client by the policy in force',
  description:
    'By the newest case, its screening, and `facts` that you alone know (products, ' +
    'intermediaries, layers of ownership, countries of business and of birth), which hold until ' +
    'others are given. By an older case, which `case_id` may name, the client is evaluated and ' +
    'stands where the newest one has put them; facts given with it hold for it alone.',
  body: EvaluateBody,
  example: {
    client: { external_ref: 'client-000123' },
    facts: { 'product.codes': ['current_account'] },
  },
  responses: { 201: { description: 'The evaluation', schema: EvaluationSchema } },
  async handle(context) {
    const ports = options.ports();
    const { client, facts } = context.body as {
      readonly client: { readonly external_ref?: string; readonly case_id?: string };
      readonly facts?: Facts;
    };
    const { idempotency, reply } = kept<Evaluation>(ports, context, {
      present: presentEvaluation,
      status: 201,
    });
    const { evaluation } = await evaluateClient(ports, {
      ...(await askerOf(ports, context)),
      isAsked: true,
      tenantId: context.tenantId,
      ...(client.case_id !== undefined && { caseId: client.case_id }),
      ...(client.external_ref !== undefined && { externalRef: client.external_ref }),
      ...(facts !== undefined && { given: facts }),
      ...(idempotency.idempotency && { kept: idempotency.idempotency }),
    });
    return reply(evaluation);
  },
});

const get = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'getEvaluation',
  path: ONE_PATH,
  problems: ['evaluation-unknown', 'evidence-altered'],
  roles: roles.readClients,
  summary: 'An evaluation, as it was signed',
  responses: { 200: { description: 'The evaluation', schema: EvaluationSchema } },
  async handle({ params, tenantId }) {
    const evaluationId = params.evaluation_id ?? '';
    const found = await requireEvaluation(options.ports(), { evaluationId, tenantId });
    return { body: presentEvaluation(found), status: 200 };
  },
});

const replay = (options: RiskRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: 0,
  id: 'replayEvaluation',
  idempotency: 'required',
  method: 'POST',
  path: `${ONE_PATH}/replay`,
  problems: ['blob-damaged', 'evaluation-unknown', 'evaluation-unreplayable', 'evidence-altered'],
  roles: roles.replay,
  scope: 'risk:write',
  summary: 'Make an evaluation again, from what its entry names; it must be the same',
  description: 'That it was made again is an entry; a difference is one of severity ALERT.',
  responses: { 200: { description: 'What differs', schema: ReplaySchema } },
  async handle(context) {
    const ports = options.ports();
    const { idempotency, reply } = kept<RiskReplay>(ports, context, {
      present: ({ diff }) => ({ diff, equal: diff.length === 0 }),
      status: 200,
    });
    const replay = await replayEvaluation(ports, {
      ...(await askerOf(ports, context)),
      ...idempotency,
      evaluationId: context.params.evaluation_id ?? '',
      tenantId: context.tenantId,
    });
    return reply(replay);
  },
});

const list = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'listEvaluations',
  path: '/v1/risk/clients/{client_id}/evaluations',
  problems: ['evidence-altered', 'risk-client-unknown', 'state-altered'],
  roles: roles.readClients,
  summary: 'Evaluations of a client, latest first',
  query: EvaluationsQuery,
  responses: { 200: { description: 'A page', schema: EvaluationsPage } },
  async handle({ params, query, tenantId }) {
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = query as {
      readonly cursor?: string;
      readonly limit?: number;
    };
    const ports = options.ports();
    const clientId = params.client_id ?? '';
    const client = await ports.signed.findClient({ clientId, tenantId });
    if (client === undefined) throw unknownClient();
    const scope = { filters: { clientId }, list: 'listEvaluations', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { evaluations, next } = await listEvaluations(ports, {
      clientId,
      limit,
      tenantId,
      ...(position !== undefined && { beforeSeq: Number(position.key) }),
    });
    const behind = next && options.cursors.encode(scope, { id: String(next), key: String(next) });
    return pageOf(evaluations.map(presentEvaluation), behind || undefined);
  },
});

const distribution = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'getRiskDistribution',
  path: '/v1/risk/distribution',
  problems: ['state-altered'],
  roles: roles.distribution,
  summary: 'How many clients stand at which level',
  responses: { 200: { description: 'Counts', schema: DistributionSchema } },
  async handle({ tenantId }) {
    const ports = options.ports();
    const { clients, incomplete, isComplete, levels } = await countLevels(ports, tenantId);
    const { contentHash, policyVersion } = await ports.inForce.of(tenantId);
    return {
      body: {
        clients,
        complete: isComplete,
        incomplete,
        levels,
        policy_hash: contentHash,
        policy_version: policyVersion,
      },
      status: 200,
    };
  },
});
