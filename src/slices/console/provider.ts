/**
 * The identity provider, as the gateway itself asks it: the authorization code flow with PKCE
 * (RFC 6749, 7636) of a confidential or public client. What a sign-in under way needs (state,
 * nonce, verifier) is sealed into a cookie, so that it belongs to one browser and no server keeps
 * it.
 */
import type { IdTokenVerifier, OidcVerifier, TokenIdentity } from '#core/identity';
import { DomainError } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { constantTimeEqual, sha256 } from '#platform/crypto';
import type { Random } from '#platform/random';
import { type SecretBox, SecretUnreadable } from '#platform/secretBox';
import { LINK_MS } from './limits.ts';

const SECRET_BYTES = 32;
const ANSWER_MS_MAX = 10_000;
const ANSWER_CHARS_MAX = 64 * 1_024;
const FLOW = 'console-code-flow-v1';
const TOKENS = 'console-tokens-v1';

/** What the provider has handed out for a person. */
export interface ProviderTokens {
  readonly access: string;
  readonly refresh?: string;
}

/** A person as the provider has just told of them. */
export interface ProvedPerson {
  readonly authenticatedAt: EpochMs;
  /** As it was when the sign-in began. */
  readonly former?: string;
  readonly identity: TokenIdentity;
  /** Sealed, as a session keeps them. */
  readonly tokens: string;
}

/** What the provider has sent the browser back with. */
export interface FlowAnswer {
  readonly code: string;
  readonly state: string;
  /** RFC 9207: who answers; absent where the provider does not say it. */
  readonly issuer?: string;
  /** The cookie of the sign-in. */
  readonly kept: string;
}

/** A sign-in that begins. */
export interface FlowAsk {
  /** The cookie of the session in whose place the new one stands; absent: there is none. */
  readonly former?: string;
  /** To prove anew who it is. */
  readonly isFresh: boolean;
  /** Where the provider sends the browser back to: the address at which it began. */
  readonly redirectUri: string;
}

export interface Provider {
  /** Where the browser goes, and the cookie that it takes along. */
  begin(ask: FlowAsk): Promise<{ readonly kept: string; readonly location: string }>;
  /** Throws `credential-invalid` or `identity-provider-unavailable`. */
  finish(answer: FlowAnswer): Promise<ProvedPerson>;
  /** Whose the tokens are now. Throws as the verifier of the API does. */
  identify(tokens: string): Promise<TokenIdentity>;
  /** New tokens by the refresh token. Throws `credential-expired` where there is none. */
  refresh(tokens: string): Promise<string>;
}

export interface ProviderOptions {
  readonly addressOf: (name: 'authorization_endpoint' | 'token_endpoint') => Promise<string>;
  readonly client: { readonly id: string; readonly secret?: string };
  readonly clock: Pick<Clock, 'now'>;
  readonly fetch: typeof fetch;
  readonly idTokens: IdTokenVerifier;
  readonly issuer: string;
  readonly random: Random;
  readonly secrets: SecretBox;
  readonly verifier: OidcVerifier;
}

interface Flow extends Omit<FlowAsk, 'isFresh'> {
  readonly at: number;
  readonly nonce: string;
  readonly state: string;
  readonly verifier: string;
}

export function createProvider(options: ProviderOptions): Provider {
  const { clock, idTokens, issuer, random, secrets, verifier } = options;
  const secret = (): string => Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  const sealed = (tokens: ProviderTokens): string => secrets.seal(JSON.stringify(tokens), TOKENS);
  const opened = (tokens: string): ProviderTokens => JSON.parse(open(secrets, tokens, TOKENS));
  return {
    async begin({ isFresh, ...ask }) {
      const drawn = { nonce: secret(), state: secret(), verifier: secret() };
      const flow: Flow = { ...ask, ...drawn, at: clock.now() };
      const location = new URL(await options.addressOf('authorization_endpoint'));
      const asked = {
        client_id: options.client.id,
        code_challenge: sha256(flow.verifier).toString('base64url'),
        code_challenge_method: 'S256',
        nonce: flow.nonce,
        redirect_uri: flow.redirectUri,
        response_type: 'code',
        scope: 'openid offline_access',
        state: flow.state,
        ...(isFresh && { max_age: '0', prompt: 'login' }),
      };
      for (const [name, value] of Object.entries(asked)) location.searchParams.set(name, value);
      return { kept: secrets.seal(JSON.stringify(flow), FLOW), location: location.href };
    },
    async finish({ code, issuer: told, kept, state }) {
      const flow = JSON.parse(open(secrets, kept, FLOW)) as Flow;
      const isOurs =
        constantTimeEqual(flow.state, state) && (told === undefined || told === issuer);
      if (!isOurs || clock.now() - flow.at >= LINK_MS) throw new DomainError('credential-invalid');
      const answer = await tokensFor(options, {
        code,
        code_verifier: flow.verifier,
        grant_type: 'authorization_code',
        redirect_uri: flow.redirectUri,
      });
      const [identity, told_] = await Promise.all([
        verifier.verify(answer.access_token),
        idTokens.verify(answer.id_token ?? '', flow.nonce),
      ]);
      if (identity.id !== `${issuer}|${told_.subject}`) throw new DomainError('credential-invalid');
      const tokens = sealed(keptOf(answer));
      const { former } = flow;
      const { authenticatedAt } = told_;
      return { authenticatedAt, identity, tokens, ...(former !== undefined && { former }) };
    },
    identify: (tokens) => verifier.verify(opened(tokens).access),
    refresh: onceEach(async (tokens) => {
      const { refresh } = opened(tokens);
      if (refresh === undefined) throw new DomainError('credential-expired');
      const asked = { grant_type: 'refresh_token', refresh_token: refresh };
      return sealed({ refresh, ...keptOf(await tokensFor(options, asked)) });
    }),
  };
}

/** Answers that are remembered, oldest out first. */
const REMEMBERED_MAX = 1_000;

/**
 * A refresh token is good once: requests that come with the same tokens share one answer, also
 * those that have read them before the new ones were kept.
 */
function onceEach(renew: (tokens: string) => Promise<string>): Provider['refresh'] {
  const known = new Map<string, Promise<string>>();
  return (tokens) => {
    const found = known.get(tokens);
    if (found !== undefined) return found;
    const made = renew(tokens);
    known.set(tokens, made);
    made.catch(() => known.delete(tokens));
    const [oldest = ''] = known.keys();
    if (known.size > REMEMBERED_MAX) known.delete(oldest);
    return made;
  };
}

interface TokenAnswer {
  readonly access_token: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

const keptOf = ({ access_token, refresh_token }: TokenAnswer): ProviderTokens => ({
  access: access_token,
  ...(refresh_token !== undefined && { refresh: refresh_token }),
});

/** A text that is none of ours says nothing of who sent it. */
function open(secrets: SecretBox, text: string, purpose: string): string {
  try {
    return secrets.open(text, purpose);
  } catch (error) {
    if (error instanceof SecretUnreadable) throw new DomainError('credential-invalid');
    throw error;
  }
}

/** Throws `credential-invalid` where the provider refuses. */
async function tokensFor(
  options: ProviderOptions,
  asked: Readonly<Record<string, string>>,
): Promise<TokenAnswer> {
  const { addressOf, client } = options;
  const address = await addressOf('token_endpoint').catch(unavailable);
  const body = new URLSearchParams({ client_id: client.id, ...asked });
  const basic =
    client.secret === undefined
      ? {}
      : { authorization: `Basic ${basicOf(client.id, client.secret)}` };
  const response = await options
    .fetch(address, {
      body,
      headers: { accept: 'application/json', ...basic },
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    .catch(unavailable);
  if (response.status >= 500) return unavailable(new Error(`answered ${response.status}`));
  const text = await response.text().catch(unavailable);
  if (response.status !== 200 || text.length > ANSWER_CHARS_MAX) {
    throw new DomainError('credential-invalid');
  }
  return readAnswer(text);
}

function unavailable(cause: unknown): never {
  throw new DomainError('identity-provider-unavailable', { cause });
}

/** RFC 6749, 2.3.1: both are form-encoded first. */
const basicOf = (id: string, secret: string): string =>
  Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');

function readAnswer(text: string): TokenAnswer {
  const answer = parsed(text) as Partial<TokenAnswer> | null;
  const { access_token, id_token, refresh_token } = answer ?? {};
  if (typeof access_token !== 'string') throw new DomainError('credential-invalid');
  return {
    access_token,
    ...(typeof id_token === 'string' && { id_token }),
    ...(typeof refresh_token === 'string' && { refresh_token }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DomainError('credential-invalid', { cause: error });
  }
}
