/** Risk policies over HTTP (interface.md 4.6): drafted, edited, read, simulated. */
import { DomainError } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type ContentPatch,
  checkContent,
  checkFacts,
  compilePolicy,
  createRiskPolicy,
  type DraftPolicy,
  editRiskPolicy,
  type Factor,
  type Facts,
  listRiskPolicies,
  MISSING_POINTS,
  POLICY_BYTES_MAX,
  type PolicyPatch,
  policyEtag,
  type RiskPolicy,
  requirePolicy,
  shippedPolicy,
} from '#slices/risk';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import {
  DraftBody,
  PatchBody,
  type PoliciesAsk,
  PoliciesPage,
  PoliciesQuery,
  RiskPolicySchema,
} from './policySchemas.ts';
import { presentPolicy, presentPolicyRow, presentResult } from './presentation.ts';
import {
  answerPolicy,
  CHANGE_PROBLEMS,
  COMMON,
  POLICIES_PATH,
  POLICY_PATH,
  pageOf,
  placeOf,
  READING,
  type RiskRouteOptions,
} from './routeOptions.ts';
import { RiskResultSchema, SimulateBody } from './schemas.ts';

export const policyOperations = (options: RiskRouteOptions): Operation[] => [
  create(options),
  list(options),
  inForce(options),
  get(options),
  patch(options),
  simulate(options),
];

const CHANGING = {
  ...COMMON,
  bodyBytesMax: POLICY_BYTES_MAX,
  idempotency: 'required',
  roles: roles.draft,
  scope: 'risk:write',
} as const;
const ANSWER = { description: 'The policy', schema: RiskPolicySchema } as const;

/** Factors as they are kept: with the points of what is missing. */
export function withDefaults<Patch extends ContentPatch>(patch: Patch): Patch {
  if (patch.factors === undefined) return patch;
  const factors = patch.factors.map((factor) => {
    const { missing_points: points = MISSING_POINTS } = factor as Partial<Factor>;
    return { ...factor, missing_points: points };
  });
  return { ...patch, factors };
}

const create = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'createRiskPolicy',
  method: 'POST',
  path: POLICIES_PATH,
  problems: [...CHANGE_PROBLEMS, 'policy-unknown'],
  summary: 'Draft a risk policy, upon the one in force or upon any other',
  description:
    'Members that are not sent are those of `based_on`. A draft may break rules: the answer says ' +
    'which, and nothing is decided by it before they are kept.',
  body: DraftBody,
  example: { name: 'More weight on countries', weights: { client: 2_000, geo: 3_000 } },
  responses: { 201: ANSWER },
  handle: (context) =>
    answerPolicy(options, context, {
      change: (ports, ask) =>
        createRiskPolicy(ports, ask, withDefaults(context.body as DraftPolicy)),
      status: 201,
    }),
});

const list = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'listRiskPolicies',
  path: POLICIES_PATH,
  problems: ['state-altered'],
  summary: 'Risk policies, latest first, without their content',
  query: PoliciesQuery,
  responses: { 200: { description: 'A page', schema: PoliciesPage } },
  async handle({ query, tenantId }) {
    const { cursor, limit = PAGE_LIMIT_DEFAULT, status } = query as PoliciesAsk;
    const scope = { filters: { status }, list: 'listRiskPolicies', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { next, policies } = await listRiskPolicies(options.ports(), {
      limit,
      tenantId,
      ...(position !== undefined && { after: position.id }),
      ...(status !== undefined && { status }),
    });
    const behind = next && options.cursors.encode(scope, { id: next, key: next });
    return pageOf(policies.map(presentPolicyRow), behind);
  },
});

const shown = (record: RiskPolicy) => ({
  body: presentPolicy(record),
  headers: [['etag', policyEtag(record)]] as const,
  status: 200,
});

const inForce = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'getRiskPolicyInForce',
  path: `${POLICIES_PATH}/in-force`,
  problems: ['state-altered'],
  summary: 'The policy by which clients are evaluated now',
  responses: { 200: ANSWER },
  async handle({ tenantId }) {
    const ports = options.ports();
    return shown((await ports.signed.inForce(tenantId)) ?? (await shippedPolicy(ports, tenantId)));
  },
});

const get = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'getRiskPolicy',
  path: POLICY_PATH,
  problems: ['policy-unknown', 'state-altered'],
  summary: 'A risk policy with its content, the rules that it breaks, and warnings',
  responses: { 200: ANSWER },
  handle: async (context) => shown(await requirePolicy(options.ports(), placeOf(context))),
});

const patch = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  conditions: 'version',
  id: 'editRiskPolicy',
  method: 'PATCH',
  path: POLICY_PATH,
  problems: [...CHANGE_PROBLEMS, 'policy-immutable', 'policy-unknown'],
  summary: 'Change members of a draft; those that are not sent stay',
  description:
    'Of `weights`, `combine` and `thresholds` each member by itself; lists are replaced. A ' +
    'policy that was rejected is a draft again.',
  body: PatchBody,
  example: { thresholds: { high: 55 } },
  responses: { 200: ANSWER },
  handle: (context) =>
    answerPolicy(options, context, {
      change: (ports, ask) =>
        editRiskPolicy(
          ports,
          { ...ask, ...placeOf(context) },
          withDefaults(context.body as PolicyPatch),
        ),
      status: 200,
    }),
});

const simulate = (options: RiskRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: POLICY_BYTES_MAX,
  id: 'simulateRiskPolicy',
  // Nothing is kept under the key: it may run again, and writes nothing.
  idempotency: 'required',
  method: 'POST',
  path: `${POLICY_PATH}/simulate`,
  problems: ['facts-invalid', 'policy-invalid', 'policy-unknown', 'state-altered'],
  roles: roles.read,
  scope: 'risk:read',
  summary: 'What a policy makes of given facts; nothing is written',
  body: SimulateBody,
  example: { facts: { 'client.type': 'individual', 'geo.residence': 'TN' } },
  responses: { 200: { description: 'The result', schema: RiskResultSchema } },
  async handle(context) {
    const { content, contentHash } = await requirePolicy(options.ports(), placeOf(context));
    const { violations } = checkContent(content);
    if (violations.length > 0) throw new DomainError('policy-invalid', { violations });
    const { facts } = context.body as { readonly facts: Facts };
    const wrong = checkFacts(facts).map((one) => ({ ...one, pointer: `/facts${one.pointer}` }));
    if (wrong.length > 0) throw new DomainError('facts-invalid', { violations: wrong });
    const result = compilePolicy(content)(facts);
    return { body: { ...presentResult(result), content_hash: contentHash }, status: 200 };
  },
});
