/** What the slice stores: links that sign in once, and sessions of browsers. */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** A link that signs one person in, once. */
export interface ConsoleLink {
  readonly tenantId: TenantId;
  readonly linkId: string;
  /** Who is signed in by it. */
  readonly personId: string;
  /** SHA-256 hex of the secret, which is stored nowhere. */
  readonly secretDigest: string;
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
  readonly state: 'open' | 'used';
  readonly version: number;
}

/** A person who is signed in, in one browser. */
export interface ConsoleLogin {
  readonly tenantId: TenantId;
  readonly sessionId: string;
  /** `person:<id>` by a link; `user:<issuer>|<subject>` by the identity provider. */
  readonly actor: `person:${string}` | `user:${string}`;
  /** SHA-256 hex of the secret in the cookie, which is stored nowhere. */
  readonly secretDigest: string;
  readonly createdAt: EpochMs;
  /** When the person proved who they are. */
  readonly authenticatedAt: EpochMs;
  /** Tokens of the identity provider, sealed; absent: signed in by a link. */
  readonly tokens?: string;
  /** When it ends, whatever happens. */
  readonly expiresAt: EpochMs;
  readonly state: 'open' | 'ended';
  /** The last request, to some seconds; it is saved outside commits and decides the idle end. */
  readonly seenAt?: EpochMs;
  readonly version: number;
}

const DAY_MS = 24 * 3_600_000;

/** Links by tenant and id. */
export const consoleLinkTable = table<ConsoleLink, 'tenantId' | 'linkId'>('console_link', {
  key: ['tenantId', 'linkId'],
  chain: 'tenantId',
  owner: 'tenantId',
  kept: { from: 'expiresAt', ms: DAY_MS },
  personal: { personId: { purpose: 'accountability: who was signed in by the link' } },
});

/** Sessions by tenant and id. */
export const consoleLoginTable = table<ConsoleLogin, 'tenantId' | 'sessionId'>('console_login', {
  key: ['tenantId', 'sessionId'],
  chain: 'tenantId',
  owner: 'tenantId',
  indexes: { byActor: ['tenantId', 'actor', 'createdAt'] },
  kept: { from: 'expiresAt', ms: 90 * DAY_MS },
  personal: {
    actor: { purpose: 'accountability: who was signed in' },
    tokens: { purpose: 'the person is asked of the identity provider by them; sealed' },
  },
  touch: 'seenAt',
});
