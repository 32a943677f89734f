/** Policies over HTTP (interface.md 4.8): read, drafted, discarded, signed. */
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  copyToDraft,
  discardDraft,
  findPolicy,
  policiesInForceOf,
  etagOf as policyEtag,
  policyPortsOf,
  readPolicies,
} from '#slices/policies';
import { screeningPartsOf } from '#slices/screening';
import type { Operation } from '../../../api/operation.ts';
import type { PublicPage } from '../../../api/ports.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { contentPage } from './contentPage.ts';
import { presentPolicy } from './presentation.ts';
import {
  answerChange,
  CHANGE_PROBLEMS,
  CHANGING,
  PATH,
  type PolicyRouteOptions,
  placeOf,
} from './routeOptions.ts';
import { type Copy, CopyBody, Policies, PoliciesQuery, Policy } from './schemas.ts';
import { signingOperations } from './signing.ts';
import { simulationOperations } from './simulation.ts';
import { createSimulator } from './simulator.ts';

const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'policies:read',
  tag: 'Sanctions',
} as const;

export function operations(process: GatewayProcess): readonly Operation[] {
  return policyOperations({
    cursors: process.cursors,
    onPublished: ({ tenantId }) => policiesInForceOf(process).forget(tenantId),
    ports: () => policyPortsOf(process),
    simulate: (ask) => process.once(simulatorOf)(ask),
  });
}

const simulatorOf = (process: GatewayProcess) =>
  createSimulator(process, () => screeningPartsOf(process));

export const pages = (process: GatewayProcess): readonly PublicPage[] => [
  contentPage(process.origin),
];

export const policyOperations = (options: PolicyRouteOptions): Operation[] => [
  listPolicies(options),
  getPolicy(options),
  copyPolicy(options),
  discardPolicy(options),
  ...signingOperations(options),
  ...simulationOperations(options),
];

const listPolicies = (options: PolicyRouteOptions): Operation => ({
  ...READING,
  id: 'listPolicies',
  path: PATH,
  summary: 'The policy in force, the draft, and what was before',
  description: 'The ETag is that of the draft, or of the policy in force where there is none.',
  query: PoliciesQuery,
  responses: { 200: { description: 'The policies', schema: Policies } },
  async handle({ query, tenantId }) {
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = query as { cursor?: string; limit?: number };
    const scope = { filters: {}, list: 'listPolicies', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const ports = options.ports();
    const now = ports.clock.now();
    const found = await readPolicies(ports, tenantId, {
      ...(position !== undefined && { below: Number(position.key) }),
      limit,
      now,
    });
    const { active, drafts, history, next } = found;
    const current = drafts[0] ?? active;
    return {
      body: {
        active: active === undefined ? null : presentPolicy(active, now),
        drafts: drafts.map((draft) => presentPolicy(draft, now)),
        history: history.map((one) => presentPolicy(one, now)),
        history_cursor:
          next === undefined
            ? null
            : options.cursors.encode(scope, { id: String(next), key: next }),
      },
      headers: current === undefined ? [] : [['etag', policyEtag(current)]],
      status: 200,
    };
  },
});

const getPolicy = (options: PolicyRouteOptions): Operation => ({
  ...READING,
  id: 'getPolicy',
  path: `${PATH}/{version}`,
  problems: ['policy-unknown'],
  summary: 'One version',
  responses: { 200: { description: 'The policy', schema: Policy } },
  async handle(context) {
    const ports = options.ports();
    const record = await findPolicy(ports, placeOf(context));
    return {
      body: presentPolicy(record, ports.clock.now()),
      headers: [['etag', policyEtag(record)]],
      status: 200,
    };
  },
});

const copyPolicy = (options: PolicyRouteOptions): Operation => ({
  ...CHANGING,
  id: 'copyPolicy',
  method: 'POST',
  path: `${PATH}/{version}/draft`,
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS, 'policy-unknown'],
  summary: 'Make a draft with the content of any version: to work on, or to roll back',
  body: CopyBody,
  example: { justification: 'Back to what was before' },
  responses: { 201: { description: 'The draft', schema: Policy } },
  handle: (context) => {
    const place = placeOf(context);
    const { justification, replace: mayReplace = false } = context.body as Copy;
    const reason = justification ?? `As version ${place.policyVersion}`;
    return answerChange(options, context, {
      change: (ports, ask) =>
        copyToDraft(ports, { ...ask, ...place }, { justification: reason, mayReplace }),
      statusOf: () => 201,
    });
  },
});

const discardPolicy = (options: PolicyRouteOptions): Operation => ({
  ...CHANGING,
  id: 'discardPolicy',
  method: 'DELETE',
  path: `${PATH}/{version}`,
  bodyBytesMax: 0,
  conditions: 'version',
  idempotency: 'none',
  problems: [...CHANGE_PROBLEMS, 'policy-immutable', 'policy-unknown'],
  summary: 'Discard a draft',
  responses: { 200: { description: 'The policy, discarded', schema: Policy } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) => discardDraft(ports, { ...ask, ...placeOf(context) }),
      statusOf: () => 200,
    }),
});
