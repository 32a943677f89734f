/**
 * A session is opened: for a case that is there or, in one commit, for one that is opened with it.
 * A case has one link that is good; the newer one voids the older.
 */
import { type EventDraft, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError, type TableChange, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import {
  type CaseAsk,
  type CaseRecord,
  type CreateCase,
  createCase,
  isUndecided,
  LINK_TEMPLATE,
  newestWorkflow,
  newTask,
  seeCase,
} from '#slices/customers';
import {
  activeVersion,
  type FormVersion,
  formTable,
  requireForm,
  unknownForm,
} from '#slices/forms';
import { DAY_MS, SESSION_MS } from './limits.ts';
import type { OnboardingPorts } from './ports.ts';
import { tokenDigest, tokenOf } from './sessionToken.ts';
import { sessionDigest, sessionTarget } from './signedSessions.ts';
import { type SessionChannel, type SessionRecord, sessionTable } from './tables.ts';

/** What a caller gives. */
export interface GivenSession {
  /** An id, or a case that is opened with the session. */
  readonly case: string | CreateCase;
  /** Absent: the form of the workflow. */
  readonly form?: { readonly id: string } | { readonly code: string };
  /** Absent: the case's. */
  readonly locale?: string;
  readonly channel: SessionChannel;
  /** The link is mailed to the address on file. */
  readonly isMailed?: boolean;
  readonly returnUrl?: string;
}

/** Who opens it. */
export interface SessionAsk extends Pick<CaseAsk, 'actor' | 'ip' | 'tenantId'> {
  readonly idempotency?: (opened: OpenedSession) => IdempotencyRecord | undefined;
}

/** A session with the only copy of its token. */
export interface OpenedSession {
  readonly session: SessionRecord;
  readonly token: string;
  /** With the token in its fragment, which browsers send to nobody. */
  readonly url: string;
}

/** What a new session is made of. */
interface Terms
  extends Pick<SessionRecord, 'caseId' | 'channel' | 'createdBy' | 'locale' | 'tenantId'> {
  readonly version: Pick<FormVersion, 'formId' | 'versionId'>;
  readonly returnUrl?: string | undefined;
  readonly orderId?: string | undefined;
}

/**
 * Throws `form-unknown`, `return-url-refused`, `contact-unknown`, `state-conflict` for a case that
 * is decided, and what opening a case does.
 */
export async function openSession(
  ports: OnboardingPorts,
  ask: SessionAsk,
  given: GivenSession,
): Promise<OpenedSession> {
  await requireReturn(ports, ask.tenantId, given.returnUrl);
  return typeof given.case === 'string'
    ? openForCase(ports, ask, given, given.case)
    : openWithCase(ports, ask, given, given.case);
}

async function openForCase(
  ports: OnboardingPorts,
  ask: SessionAsk,
  given: GivenSession,
  caseId: string,
): Promise<OpenedSession> {
  const { tenantId } = ask;
  return overwrite(async () => {
    const { content, record, workflow } = await seeCase(ports.cases, { caseId, tenantId });
    requireUndecided(record);
    requireAddress(given, content.subject.email);
    const version = await formFor(ports, tenantId, given.form, workflow.content.form_code);
    return commitSession(ports, ask, { given, record, version });
  });
}

function requireAddress({ isMailed }: GivenSession, email: string | undefined): void {
  if (isMailed && email === undefined) throw new DomainError('contact-unknown');
}

/** Throws `state-conflict`. */
export function requireUndecided(record: CaseRecord): void {
  if (isUndecided(record)) return;
  const detail = `expected a case that is not decided, got ${record.status}`;
  throw new DomainError('state-conflict', { detail });
}

async function openWithCase(
  ports: OnboardingPorts,
  ask: SessionAsk,
  given: GivenSession,
  wanted: CreateCase,
): Promise<OpenedSession> {
  const { actor, idempotency, ip, tenantId } = ask;
  requireAddress(given, wanted.subject?.email);
  const of = { code: wanted.workflow_code, subjectType: wanted.subject_type, tenantId };
  const workflow = await newestWorkflow(ports.cases, of);
  const version = await formFor(ports, tenantId, given.form, workflow.content.form_code);
  const origin = await ports.originOf(tenantId);
  let opened: OpenedSession | undefined;
  await createCase(
    ports.cases,
    {
      actor,
      answer: { kept: () => idempotency?.(requireOpened(opened)) },
      beside: (record) => {
        const made = makeSession(ports, ask, { former: undefined, given, origin, record, version });
        opened = made.opened;
        return made;
      },
      tenantId,
      ...(ip !== undefined && { ip }),
    },
    wanted,
  );
  return requireOpened(opened);
}

function requireOpened(opened: OpenedSession | undefined): OpenedSession {
  if (opened !== undefined) return opened;
  throw new DomainError('internal', { detail: 'a session had no commit' });
}

interface Wanted {
  readonly given: Pick<GivenSession, 'channel' | 'isMailed' | 'locale' | 'returnUrl'>;
  readonly record: CaseRecord;
  readonly version: Pick<FormVersion, 'formId' | 'versionId'>;
  /** The mail that the link is for. */
  readonly orderId?: string;
}

/** One commit of a session for a case that is there. */
export async function commitSession(
  ports: OnboardingPorts,
  ask: SessionAsk,
  wanted: Wanted,
): Promise<OpenedSession> {
  const { tenantId } = ask;
  const origin = await ports.originOf(tenantId);
  const former = await newestSession(ports, wanted.record);
  const { changes, events, opened } = makeSession(ports, ask, { ...wanted, former, origin });
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes,
    events,
    idempotency: () => ask.idempotency?.(opened),
  });
  if (wanted.given.isMailed) ports.cases.wake(tenantId);
  return opened;
}

/** The session of a case that was opened last, as it was signed. */
export async function newestSession(
  { sessions, tables }: Pick<OnboardingPorts, 'sessions' | 'tables'>,
  { caseId, tenantId }: Pick<SessionRecord, 'caseId' | 'tenantId'>,
): Promise<SessionRecord | undefined> {
  const { records } = await tables.page(sessionTable, {
    direction: 'descending',
    equal: { caseId, tenantId },
    index: 'byCase',
    limit: 1,
  });
  const [row] = records;
  return row && sessions.find(row);
}

interface Made {
  readonly changes: readonly TableChange[];
  readonly events: readonly EventDraft[];
  readonly opened: OpenedSession;
}

function makeSession(
  ports: OnboardingPorts,
  { actor, ip }: SessionAsk,
  of: Wanted & { readonly former: SessionRecord | undefined; readonly origin: string },
): Made {
  const { former, given, origin, record, version } = of;
  const { caseId, tenantId } = record;
  const now = ports.clock.now();
  const taskId = given.isMailed ? uuidV7(now, ports.random) : undefined;
  const opened = sessionOf(ports, origin, {
    caseId,
    channel: given.channel,
    createdBy: actor,
    locale: given.locale ?? record.locale,
    orderId: of.orderId ?? taskId,
    returnUrl: given.returnUrl,
    tenantId,
    version,
    former,
  });
  const { session } = opened;
  const voided = former?.state === 'open' ? revoked(former) : undefined;
  const told = (action: 'created' | 'revoked', one: SessionRecord) =>
    sessionEntry(ports, { action: `onboarding.session.${action}`, actor, ip, session: one });
  return {
    changes: [
      ...(voided === undefined ? [] : [sessionTable.put(voided, voided.version - 1)]),
      sessionTable.insert(session),
      ...(taskId === undefined
        ? []
        : [newTask(ports.cases, record, { kind: 'mail', taskId, template: LINK_TEMPLATE })]),
    ],
    events: [...(voided === undefined ? [] : [told('revoked', voided)]), told('created', session)],
    opened,
  };
}

/** The record that opens nothing any more. */
export const revoked = (session: SessionRecord): SessionRecord => ({
  ...session,
  state: 'revoked',
  version: session.version + 1,
});

function sessionOf(
  { clock, random, signer }: OnboardingPorts,
  origin: string,
  terms: Terms & { readonly former: SessionRecord | undefined },
): OpenedSession {
  const { caseId, channel, createdBy, former, locale, orderId, returnUrl, tenantId, version } =
    terms;
  const now = clock.now();
  // Tokens count in seconds, so the session begins with one: exactly thirty minutes for both.
  const createdAt = (now - (now % 1_000)) as EpochMs;
  const session = {
    askedAt: (former?.askedAt ?? []).filter((at) => at > now - DAY_MS),
    caseId,
    channel,
    createdAt,
    createdBy,
    expiresAt: (createdAt + SESSION_MS) as EpochMs,
    formId: version.formId,
    locale,
    ordinal: (former?.ordinal ?? 0) + 1,
    sessionId: uuidV7(now, random),
    state: 'open' as const,
    tenantId,
    version: 1,
    versionId: version.versionId,
    ...(orderId !== undefined && { orderId }),
    ...(returnUrl !== undefined && { returnUrl }),
  };
  const token = tokenOf(session, origin, signer);
  return {
    session: { ...session, tokenDigest: tokenDigest(token) },
    token,
    url: linkOf(origin, token),
  };
}

export const linkOf = (origin: string, token: string): string => `${origin}/o/#${token}`;

/** An entry that holds a session to the chain. */
export function sessionEntry(
  ports: Pick<OnboardingPorts, 'clock' | 'random'>,
  of: {
    readonly action:
      | 'onboarding.link.requested'
      | 'onboarding.session.created'
      | 'onboarding.session.revoked';
    readonly actor: SessionAsk['actor'];
    readonly ip?: string | undefined;
    readonly session: SessionRecord;
  },
): EventDraft {
  const { action, actor, ip, session } = of;
  return entry(ports, {
    action,
    actor,
    members: {
      case_id: session.caseId,
      channel: session.channel,
      expires_at: new Date(session.expiresAt).toISOString(),
      form_id: session.formId,
      form_version_id: session.versionId,
      record_digest: sessionDigest(session),
      session_id: session.sessionId,
    },
    target: sessionTarget(session),
    ...(ip !== undefined && { ip }),
  });
}

/** The active version of the form that is meant. Throws `form-unknown`. */
async function formFor(
  ports: OnboardingPorts,
  tenantId: TenantId,
  named: GivenSession['form'],
  ofWorkflow: string | undefined,
): Promise<FormVersion> {
  const form = named ?? (ofWorkflow === undefined ? undefined : { code: ofWorkflow });
  if (form === undefined) throw unknownForm('form: the workflow of the case names none');
  const version = await activeOf(ports, tenantId, form);
  if (version === undefined) throw unknownForm('active version of the form');
  return version;
}

/** Undefined: the form has no active version, or there is none of that code. */
export async function activeOf(
  ports: OnboardingPorts,
  tenantId: TenantId,
  form: NonNullable<GivenSession['form']>,
): Promise<FormVersion | undefined> {
  const formId =
    'id' in form
      ? form.id
      : (await ports.tables.findUnique(formTable, 'byCode', { code: form.code, tenantId }))?.formId;
  if (formId === undefined) return undefined;
  return activeVersion(ports, await requireForm(ports, { formId, tenantId }));
}

async function requireReturn(
  { returnOriginsOf }: OnboardingPorts,
  tenantId: TenantId,
  returnUrl: string | undefined,
): Promise<void> {
  if (returnUrl === undefined) return;
  const allowed = await returnOriginsOf(tenantId);
  if (URL.canParse(returnUrl) && allowed.includes(new URL(returnUrl).origin)) return;
  throw new DomainError('return-url-refused');
}
