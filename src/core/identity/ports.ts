/**
 * Who may call, for which tenant, in which role: the records (tables.ts), and what is read of them
 * (identityStore.ts).
 */
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Locale } from '#platform/locales';
import type { Scope } from './scopes.ts';

/** The closed list of roles (decisions 1.9). */
export const ROLES = [
  'agent_l1',
  'agent_l2',
  'mlro',
  'compliance_officer',
  'compliance_director',
  'dsi_admin',
  'data_protection_officer',
  'auditor',
  'admin',
  'developer',
] as const;
/** One of ROLES. */
export type Role = (typeof ROLES)[number];

/**
 * Where a person is written to. The salt goes into the digest that holds the record to its entry:
 * without it an address could be guessed from the digest for ever after.
 */
export interface MailAddress {
  readonly address: string;
  /** 16 random bytes in base64. */
  readonly salt: string;
}

/** A customer of the platform; its sandbox is a tenant of its own. */
export interface Tenant {
  readonly id: TenantId;
  readonly name: string;
  readonly kind: 'live' | 'sandbox';
  /** Dotted keys, e.g. `limits.requests_per_second`; absent means the default in config/. */
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  readonly createdAt: EpochMs;
  /** Compare-and-set: a change names the version that it was made from. */
  readonly version: number;
}

/** The record of an API key. */
export interface ApiKey {
  readonly id: string;
  readonly tenantId: TenantId;
  /** SHA-256 hex of the whole key; the key itself is never stored. */
  readonly hash: string;
  /** `cp_live_` or `cp_test_` and four characters, to recognise the key in a list. */
  readonly prefix: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /** Absent: whatever its roles may. */
  readonly scopes?: readonly Scope[];
  readonly createdAt: EpochMs;
  readonly expiresAt?: EpochMs;
  readonly revokedAt?: EpochMs;
  readonly lastUsedAt?: EpochMs;
  readonly version: number;
}

/** A human being who may sign. Accounts (issuer, subject) point at the person. */
export interface Person {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly accounts: readonly { readonly issuer: string; readonly subject: string }[];
  readonly keys: readonly {
    readonly keyId: string;
    /** Raw Ed25519 public key, 32 bytes in base64. */
    readonly publicKey: string;
    readonly validFrom: EpochMs;
    readonly revokedAt?: EpochMs;
  }[];
  /** Absent: nobody writes to this person. */
  readonly email?: MailAddress;
  /** Absent: nobody asked. */
  readonly locale?: Locale;
  readonly version: number;
}

/**
 * An approval of dual control that was used (decisions 3.3): a second use is `stale`. After
 * `expiresAt` the approval is refused for its age, so the record may be removed.
 */
export interface ConsumedApproval {
  readonly tenantId: TenantId;
  /** SHA-256 hex of the signed bytes. */
  readonly digest: string;
  readonly expiresAt: EpochMs;
}

/** What identity reads of its tables, and the one write outside commits. */
export interface IdentityStore {
  /** Absent is an answer, not an error. */
  findTenant(id: TenantId): Promise<Tenant | undefined>;
  /** By id. */
  listTenants(): Promise<readonly Tenant[]>;
  findApiKeyByHash(hash: string): Promise<ApiKey | undefined>;
  /** By id. */
  listApiKeys(tenantId: TenantId): Promise<readonly ApiKey[]>;
  /** Saves the last use of the caller's key. Best effort, no audit: at most once a minute a key. */
  touchApiKey(key: Pick<ApiKey, 'id'>, at: EpochMs): Promise<void>;
  findPerson(tenantId: TenantId, id: string): Promise<Person | undefined>;
  /** By id. */
  listPersons(tenantId: TenantId): Promise<readonly Person[]>;
}

/** The caller of one request. */
export interface Principal {
  readonly tenantId: TenantId;
  readonly kind: 'api-key' | 'session' | 'user';
  /** API key id, `issuer|subject`, or the id of an onboarding session. */
  readonly id: string;
  readonly roles: readonly Role[];
  /** Scopes of a key that was made with some: it calls operations of these alone. */
  readonly scopes?: readonly Scope[];
  /** Whether the person used a second factor (claim `amr`); a key needs none. */
  readonly mfa: boolean;
  readonly environment: 'live' | 'sandbox';
  /** When the credential ends, for what lasts longer than a request; absent: nobody knows. */
  readonly expiresAt?: EpochMs;
  /** All that a session may reach; keys and users have none. */
  readonly session?: SessionScope;
}

/** An onboarding session as a caller: a customer, with the rights of one case. */
export interface SessionScope {
  readonly caseId: string;
  readonly formId: string;
  /** The version of the form that the session pinned. */
  readonly versionId: string;
  readonly channel: 'branch' | 'mobile' | 'web';
  /** Why it may do nothing more; it may still ask for a fresh link. Absent: it lives. */
  readonly ended?: 'session-ended' | 'session-expired';
}
