/** Onboarding sessions over HTTP (interface.md 4.4). */
import { DomainError, type TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import type { SecretBox } from '#platform/secretBox';
import type { CreateCase } from '#slices/customers';
import { formSettings, requireSdk, type SdkMinimum, submitterOf } from '#slices/forms';
import {
  callingSession,
  type GivenSession,
  isSessionToken,
  type OnboardingPorts,
  type OpenedSession,
  openSession,
  regenerateLink,
  type SeenSession,
  viewSession,
} from '#slices/onboarding';
import type { SessionTokens } from '../../../api/middleware/authenticate.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { PublicPage } from '../../../api/ports.ts';
import { keptUnder } from '../../../api/storedAnswer.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { onboardingPages } from './pages.ts';
import { onboardingPartsOf } from './parts.ts';
import {
  OwnSession,
  RegenerateResult,
  SessionBody,
  type SessionGiven,
  SessionResult,
} from './schemas.ts';

const PATH = '/v1/onboarding/sessions';
const BODY_BYTES_MAX = 256 * 1024;
const PURPOSE = 'onboarding-idempotent-answer';

/** What the operations are made of. */
export interface OnboardingRouteOptions {
  readonly ports: () => OnboardingPorts;
  readonly secrets: () => SecretBox;
  readonly sdkOf: (tenantId: TenantId) => Promise<SdkMinimum>;
}

export const operations = (process: GatewayProcess): readonly Operation[] =>
  // Opened when it is first used: the description of the API is made without an installation.
  onboardingOperations({
    ports: () => onboardingPartsOf(process),
    sdkOf: async (tenantId) => (await process.tenants.settings(tenantId)).of(formSettings),
    secrets: () => process.secrets,
  });

export const pages = (): readonly PublicPage[] => onboardingPages();

export const sessions = (process: GatewayProcess): SessionTokens => ({
  authenticate: (token) => callingSession(onboardingPartsOf(process), token),
  isOne: isSessionToken,
});

export const onboardingOperations = (options: OnboardingRouteOptions): Operation[] => [
  open(options),
  own(options),
  regenerate(options),
];

const OF_ALL = { limits: 'general', scope: 'cases:write', tag: 'Forms' } as const;

const open = (options: OnboardingRouteOptions): Operation => ({
  ...OF_ALL,
  bodyBytesMax: BODY_BYTES_MAX,
  id: 'openOnboardingSession',
  idempotency: 'required',
  method: 'POST',
  path: PATH,
  problems: [
    'blob-damaged',
    'case-open-exists',
    'case-unknown',
    'contact-unknown',
    'form-unknown',
    'return-url-refused',
    'state-altered',
    'state-conflict',
    'subject-erased',
    'subject-invalid',
    'workflow-unknown',
  ],
  roles: roles.open,
  summary: 'Make an onboarding link for a case, good for exactly thirty minutes',
  description:
    'For `case_id`, or for a `case` that is opened with it. Without a form it is that of the ' +
    'workflow. The version that is active now stays that of the session. A newer link of a case ' +
    'voids the older. The token is shown here alone; what is kept is its digest.',
  body: SessionBody,
  example: {
    case: {
      external_ref: 'client-000123',
      locale: 'fr-TN',
      subject: {
        email: 'amira@example.org',
        expected_turnover: { amount: '30000.00', currency: 'TND' },
      },
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    },
    channel: 'web',
    form_code: 'onboarding_individual',
  },
  responses: { 201: { description: 'The link', schema: SessionResult } },
  unsealed: (stored) => options.secrets().open(stored, PURPOSE),
  async handle(context) {
    const ports = options.ports();
    const { idempotency, ip, principal, tenantId } = context;
    const kept = keptUnder(idempotency, ports.clock).idempotency;
    const opened = await openSession(
      ports,
      {
        actor: await submitterOf(ports, principal),
        idempotency: (made) =>
          kept?.({
            body: options.secrets().seal(JSON.stringify(presentOpened(made)), PURPOSE),
            status: 201,
          }),
        tenantId,
        ...(ip !== '' && { ip }),
      },
      givenIn(context.body as SessionGiven),
    );
    return { body: JSON.stringify(presentOpened(opened)), status: 201 };
  },
});

function givenIn(body: SessionGiven): GivenSession {
  const { case: made, case_id, channel, deliver, form_code, form_id, locale, return_url } = body;
  requireOne('case_id', [case_id, made], 1);
  requireOne('form_id', [form_id, form_code], 0);
  return {
    case: case_id ?? (made as CreateCase),
    channel,
    ...(form_id !== undefined && { form: { id: form_id } }),
    ...(form_code !== undefined && { form: { code: form_code } }),
    ...(locale !== undefined && { locale }),
    ...(deliver !== undefined && { isMailed: true }),
    ...(return_url !== undefined && { returnUrl: return_url }),
  };
}

/** One of two, or at least not both. */
function requireOne(name: string, given: readonly unknown[], least: number): void {
  const count = given.filter((one) => one !== undefined).length;
  if (count === 1 || count === least) return;
  const detail = `${name}: expected one of the two ways to name it`;
  const violations = [{ code: 'missing', detail, pointer: `/${name}` }];
  throw new DomainError('body-invalid', { detail, violations });
}

const presentOpened = ({ session, token, url }: OpenedSession) => ({
  case_id: session.caseId,
  expires_at: toTimestamp(session.expiresAt),
  form_id: session.formId,
  session_id: session.sessionId,
  session_token: token,
  url,
});

const own = (options: OnboardingRouteOptions): Operation => ({
  ...OF_ALL,
  bodyBytesMax: 0,
  id: 'getOwnSession',
  idempotency: 'none',
  method: 'GET',
  path: `${PATH}/own`,
  problems: [
    'blob-damaged',
    'case-unknown',
    'header-invalid',
    'sdk-too-old',
    'state-altered',
    'subject-erased',
    'workflow-unknown',
  ],
  roles: roles.link,
  scope: 'cases:read',
  session: 'live',
  summary: 'The session of the caller, with the draft that was saved',
  description: 'For the token of a session alone. Nothing else of the case is read by it.',
  responses: { 200: { description: 'The session', schema: OwnSession } },
  async handle(context) {
    const sdk = context.request.header('x-sdk-version');
    if (sdk !== undefined) requireSdk(sdk, await options.sdkOf(context.tenantId));
    return { body: presentOwn(await viewSession(options.ports(), placeOf(context))), status: 200 };
  },
});

const placeOf = ({ principal, tenantId }: OperationContext) => ({
  sessionId: principal.id,
  tenantId,
});

const presentOwn = ({ draft, isSubmitted, session }: SeenSession) => ({
  case_id: session.caseId,
  channel: session.channel,
  draft: draft ? { data: draft.values, saved_at: toTimestamp(draft.record.receivedAt) } : null,
  expires_at: toTimestamp(session.expiresAt),
  form_id: session.formId,
  locale: session.locale,
  return_url: session.returnUrl ?? null,
  session_id: session.sessionId,
  submitted: isSubmitted,
});

const ACCEPTED = { accepted: true } as const;

const regenerate = (options: OnboardingRouteOptions): Operation => ({
  ...OF_ALL,
  bodyBytesMax: 0,
  id: 'regenerateOnboardingLink',
  idempotency: 'required',
  method: 'POST',
  path: `${PATH}/regenerate`,
  problems: ['case-unknown', 'state-altered', 'subject-erased'],
  roles: roles.link,
  session: 'any',
  summary: 'Ask for a fresh link, by the token of a session that may have ended',
  description:
    'The link goes to the mail address of the case and nowhere else, and the older one is void. ' +
    'The answer is always the same. It works for seven days, three times a day, while the case ' +
    'is not decided.',
  responses: { 202: { description: 'It was heard', schema: RegenerateResult } },
  async handle(context) {
    const ports = options.ports();
    const { idempotency, ip, principal } = context;
    const kept = keptUnder(idempotency, ports.clock).idempotency;
    await regenerateLink(ports, {
      ...placeOf(context),
      actor: `session:${principal.id}`,
      idempotency: () => kept?.({ body: JSON.stringify(ACCEPTED), status: 202 }),
      ...(ip !== '' && { ip }),
    });
    return { body: ACCEPTED, status: 202 };
  },
});
