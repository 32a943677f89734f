/** Companies over HTTP (interface.md 4.1): looked up at a registry. */
import type { SealedEvent } from '#core/audit';
import { DomainError, type Violation } from '#core/kernel';
import type { SecretBox } from '#platform/secretBox';
import { actorOf, type CommittedCase } from '#slices/customers';
import {
  CACHE_HOURS,
  type CaseLookupPorts,
  commitForCase,
  commitLookup,
  type LookupAsk,
  type LookupPorts,
  prepareLookup,
  registryOf,
} from '#slices/registries';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { storedAnswer } from '../../../api/storedAnswer.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { caseLookupPortsOf, lookupPortsOf } from './parts.ts';
import { LookupBody, type LookupGiven, LookupResult, presentLookup } from './schemas.ts';

const BODY_BYTES_MAX = 64 * 1024;
const PURPOSE = 'registry-idempotent-answer';

/** What the operation is made of. */
export interface LookupRouteOptions {
  readonly cases: () => CaseLookupPorts;
  readonly ports: () => LookupPorts;
  readonly secrets: () => SecretBox;
}

export const operations = (process: GatewayProcess): readonly Operation[] =>
  // Opened when it is first used: the description of the API is made without an installation.
  registryOperations({
    cases: () => caseLookupPortsOf(process),
    ports: () => lookupPortsOf(process),
    secrets: () => process.secrets,
  });

export const registryOperations = (options: LookupRouteOptions): Operation[] => [
  {
    bodyBytesMax: BODY_BYTES_MAX,
    id: 'lookUpCompany',
    idempotency: 'required',
    limits: 'general',
    method: 'POST',
    path: '/v1/kyb/rne/lookup',
    problems: [
      'blob-damaged',
      'case-unknown',
      'identifier-invalid',
      'processing-restricted',
      'registry-not-configured',
      'registry-unavailable',
      'state-altered',
      'state-conflict',
      'subject-erased',
      'workflow-unknown',
    ],
    roles: roles.lookUp,
    scope: 'cases:write',
    tag: 'KYC',
    summary: 'Look a company up at the registry of its country',
    description:
      'By its identifier or by its name. That there is none is an answer, too. With `case_id` ' +
      'the outcome is a check of that case, and officers that it does not know are added to it.',
    body: LookupBody,
    example: { country: 'TN', identifier: '1282182W' },
    responses: { 200: { description: 'What the registry says', schema: LookupResult } },
    unsealed: (stored) => options.secrets().open(stored, PURPOSE),
    handle: (context) => answer(options, context),
  },
];

async function answer(options: LookupRouteOptions, context: OperationContext) {
  const ports = options.ports();
  const cases = options.cases();
  const { ip, principal, tenantId } = context;
  const { actor } = await actorOf(cases.cases, principal);
  const ask: LookupAsk = {
    ...askIn(context.body as LookupGiven),
    actor,
    tenantId,
    ...(ip !== '' && { ip }),
  };
  const prepared = await prepareLookup(ports, ask);
  let text = '';
  const kept = (sealed: readonly SealedEvent[]) => {
    const told = sealed.find(({ eventId }) => eventId === prepared.eventId);
    text = JSON.stringify(presentLookup(prepared, told));
    if (context.idempotency === undefined) return undefined;
    const body = options.secrets().seal(text, PURPOSE);
    return storedAnswer(context.idempotency, { body, status: 200 }, ports.clock);
  };
  const { caseId } = ask;
  if (caseId === undefined) await commitLookup(ports, prepared, kept);
  else {
    const answer = { kept: ({ sealed }: CommittedCase) => kept(sealed) };
    await commitForCase(cases, { ...ask, caseId }, { kept: answer, prepared });
  }
  return { body: text, status: 200 };
}

/** Throws `body-invalid` where not just one of the two is given, `registry-not-configured`. */
function askIn({
  case_id: caseId,
  country,
  identifier,
  max_age_hours: maxAgeHours = CACHE_HOURS,
  name,
}: LookupGiven): Pick<LookupAsk, 'caseId' | 'identifier' | 'maxAgeHours' | 'name' | 'registry'> {
  if ((identifier === undefined) === (name === undefined)) {
    const detail = 'expected either identifier or name';
    const violations: Violation[] = [{ code: 'missing', detail, pointer: '/identifier' }];
    throw new DomainError('body-invalid', { detail, violations });
  }
  const registry = registryOf(country);
  if (registry === undefined) {
    const detail = `no registry of ${country} is known`;
    throw new DomainError('registry-not-configured', { detail });
  }
  return {
    maxAgeHours,
    registry,
    ...(caseId !== undefined && { caseId }),
    ...(identifier !== undefined && { identifier }),
    ...(name !== undefined && { name }),
  };
}
