/** Sign-in over HTTP: by a link, who is signed in, which sessions there are, and their end. */
import { DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  type CallingLogin,
  callingLogin,
  endLogin,
  LINK_MS,
  liveLogins,
  SESSION_MS,
  signIn,
  signInByProvider,
} from '#slices/console';
import { actorOf } from '../../../api/asker.ts';
import type { HttpReply, HttpRequest } from '../../../api/http/port.ts';
import { parseJsonBody, requireJsonMediaType } from '../../../api/parseRequest.ts';
import type { PublicPage } from '../../../api/ports.ts';
import {
  type ConsoleCalls,
  cookiesOf,
  requireCookie,
  requireFlow,
  requireLocal,
  requireOwnPage,
  setCookie,
  setFlow,
} from './browserCall.ts';

const BODY_BYTES_MAX = 1_024;
const CALLBACK = '/console/auth/callback';

export const authPages = (calls: ConsoleCalls): readonly PublicPage[] => [
  ...(calls.isByProvider ? flowPages(calls) : []),
  {
    method: 'POST',
    path: '/console/auth/local',
    async reply({ request }) {
      requireOwnPage(calls, request);
      requireLocal(calls, request);
      const token = await memberOf(request, 'token');
      const ports = calls.ports();
      const { cookie } = await signIn(ports, { ip: request.remoteAddress, token });
      return nothing([['set-cookie', setCookie(calls, cookie, SESSION_MS / 1_000)]]);
    },
  },
  {
    path: '/console/auth/session',
    async reply({ request }) {
      requireOwnPage(calls, request);
      // A browser without a session gets an answer, and no refusal.
      if (cookiesOf(calls, request).length === 0) return json(waysIn(calls));
      return json({ ...waysIn(calls), ...presentCaller(await callerOf(calls, request)) });
    },
  },
  {
    path: '/console/auth/sessions',
    async reply({ request }) {
      const { login } = await callerOf(calls, request);
      const data = (await liveLogins(calls.ports(), login)).map((one) => ({
        created_at: toTimestamp(one.createdAt),
        expires_at: toTimestamp(one.expiresAt),
        is_this: one.sessionId === login.sessionId,
        seen_at: toTimestamp(one.seenAt ?? one.createdAt),
        session_id: one.sessionId,
      }));
      return json({ data });
    },
  },
  {
    method: 'POST',
    path: '/console/auth/end',
    async reply({ request }) {
      const { login } = await callerOf(calls, request);
      const sessionId = await memberOf(request, 'session_id');
      const { actor, tenantId } = login;
      const ip = request.remoteAddress;
      await endLogin(calls.ports(), { actor, ip, sessionId, tenantId });
      const isOwn = sessionId === login.sessionId;
      return nothing(isOwn ? [['set-cookie', setCookie(calls, '', 0)]] : []);
    },
  },
];

/** The code flow: to the identity provider and back, by pages that a browser opens itself. */
const flowPages = (calls: ConsoleCalls): readonly PublicPage[] => [
  {
    path: '/console/auth/login',
    async reply({ request }) {
      const { provider } = calls.ports();
      if (provider === undefined) throw new DomainError('route-unknown');
      // A link of another site brings no cookie along, and ends no session.
      const [former] = cookiesOf(calls, request);
      const { kept, location } = await provider.begin({
        isFresh: request.query === 'fresh=1',
        redirectUri: calls.originAt(request.header('host')) + CALLBACK,
        ...(former !== undefined && { former }),
      });
      return moved(location, [setFlow(calls, kept, LINK_MS / 1_000)]);
    },
  },
  {
    path: CALLBACK,
    async reply({ request }) {
      const asked = new URLSearchParams(request.query);
      const issuer = asked.get('iss');
      const answer = {
        code: asked.get('code') ?? '',
        kept: requireFlow(calls, request),
        state: asked.get('state') ?? '',
        ...(issuer !== null && { issuer }),
      };
      const opened = await signInByProvider(calls.ports(), answer, request.remoteAddress);
      // The page that follows reads the session by itself: this navigation came from elsewhere.
      return moved('/console/', [
        setFlow(calls, '', 0),
        setCookie(calls, opened.cookie, SESSION_MS / 1_000),
      ]);
    },
  },
];

const moved = (location: string, cookies: readonly string[]): HttpReply => ({
  body: '',
  headers: [
    ['location', location],
    ['referrer-policy', 'no-referrer'],
    ...cookies.map((one) => ['set-cookie', one] as const),
  ],
  status: 303,
});

const waysIn = ({ isByProvider }: ConsoleCalls) => ({
  person: null,
  sign_in: isByProvider ? 'provider' : 'link',
});

async function callerOf(calls: ConsoleCalls, request: HttpRequest): Promise<CallingLogin> {
  requireOwnPage(calls, request);
  return callingLogin(calls.ports(), requireCookie(calls, request));
}

/** The one member of a body, as text. Throws `body-invalid`. */
async function memberOf(request: HttpRequest, name: string): Promise<string> {
  requireJsonMediaType(request);
  const body = parseJsonBody(await request.body(BODY_BYTES_MAX));
  const value = (body as Readonly<Record<string, unknown>> | null)?.[name];
  if (typeof value === 'string') return value;
  const detail = `expected a JSON object with the text ${name}`;
  const violations = [{ code: 'type', detail, pointer: `/${name}` }];
  throw new DomainError('body-invalid', { detail, violations });
}

const presentCaller = ({ login, person, principal, tenant }: CallingLogin) => ({
  person: {
    actor: actorFor(person, principal),
    name: person?.name ?? principal.id.split('|').at(-1) ?? '',
    person_id: person?.id ?? null,
    roles: principal.roles,
  },
  session: { expires_at: toTimestamp(login.expiresAt), session_id: login.sessionId },
  tenant: { kind: tenant.kind, name: tenant.name, tenant_id: tenant.id },
});

/** As alerts and exclusions name who does something. */
const actorFor = (person: CallingLogin['person'], principal: CallingLogin['principal']): string =>
  person === undefined ? actorOf(principal) : `person:${person.id}`;

const json = (body: object): HttpReply => ({
  body: JSON.stringify(body),
  headers: [['content-type', 'application/json']],
  status: 200,
});

const nothing = (headers: HttpReply['headers']): HttpReply => ({ body: '', headers, status: 204 });
