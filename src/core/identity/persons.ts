/**
 * Persons who may sign: registered by the administrator, with the accounts that they use, the
 * Ed25519 keys that they sign with, and where they are written to. Two accounts of one person are
 * one signer (decisions 3.3). An address stands in the record alone, never in the chain: taken from
 * the record it is gone.
 */
import { type Actor, type CommitEvidence, entry, type JsonObject } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { bytesFromBase64, PUBLIC_KEY_BYTES, refusePublicKey } from '#platform/crypto';
import { type Random, uuidV7 } from '#platform/random';
import { type ContactChange, withContact } from './contacts.ts';
import { checkName } from './names.ts';
import type { IdentityStore, Person, Principal } from './ports.ts';
import { heldPerson, recordMembers } from './recordEvidence.ts';
import { requireRoles } from './roles.ts';
import { fromStore } from './storeFailure.ts';
import { personTable } from './tables.ts';

const KEYS_MAX = 20;
const ACCOUNTS_MAX = 20;

/** Persons as an administrator manages them. Every change leaves an audit entry. */
export interface PersonAdmin {
  add(ask: {
    tenantId: TenantId;
    name: string;
    roles: readonly string[];
    accounts: Person['accounts'];
    email?: string;
    locale?: string;
    actor: Actor;
  }): Promise<Person>;
  /** Changes what is given; null takes it away. */
  changeContact(
    ask: { tenantId: TenantId; personId: string; actor: Actor } & ContactChange,
  ): Promise<Person>;
  /**
   * Adds a key: 32 bytes in base64. Throws `public-key-invalid` for one that is malformed,
   * registered already, or weak enough for anyone to forge its signatures.
   */
  addKey(ask: {
    tenantId: TenantId;
    personId: string;
    publicKey: string;
    actor: Actor;
  }): Promise<Person>;
  revokeKey(ask: {
    tenantId: TenantId;
    personId: string;
    keyId: string;
    actor: Actor;
  }): Promise<Person>;
  list(tenantId: TenantId): Promise<readonly Person[]>;
}

type Verb = 'added' | 'contact_changed' | 'key_added' | 'key_revoked';

/** The administration of persons over a store; changes go through `commit`. */
export function createPersonAdmin(options: {
  readonly store: IdentityStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly commit: CommitEvidence;
}): PersonAdmin {
  const { store, clock, random } = options;

  const find = (tenantId: TenantId, id: string) => findKnown(store, { id, tenantId });

  const save = (person: Person, verb: Verb, actor: Actor, open: JsonObject) =>
    savePerson(options, person, { actor, open, verb });

  return {
    async add({ tenantId, name, roles, accounts, actor, ...contact }) {
      await requireTenant(store, tenantId);
      checkAccounts(accounts, await fromStore(store.listPersons(tenantId)));
      const unreachable: Person = {
        id: uuidV7(clock.now(), random),
        tenantId,
        name: checkName(name),
        roles: requireRoles(roles),
        accounts,
        keys: [],
        version: 1,
      };
      const person = withContact(unreachable, contact, random);
      return save(person, 'added', actor, { name: person.name, roles: person.roles, accounts });
    },

    async changeContact({ tenantId, personId, actor, ...contact }) {
      const person = await find(tenantId, personId);
      const changed = { ...withContact(person, contact, random), version: person.version + 1 };
      return save(changed, 'contact_changed', actor, {});
    },

    async addKey({ tenantId, personId, publicKey, actor }) {
      const person = await find(tenantId, personId);
      checkPublicKey(publicKey, await fromStore(store.listPersons(tenantId)));
      if (person.keys.length >= KEYS_MAX) {
        throw new DomainError('state-conflict', {
          detail: `a person has at most ${KEYS_MAX} keys`,
        });
      }
      const now = clock.now();
      const key = { keyId: uuidV7(now, random), publicKey, validFrom: now };
      const changed = { ...person, keys: [...person.keys, key], version: person.version + 1 };
      return save(changed, 'key_added', actor, { key_id: key.keyId, public_key: publicKey });
    },

    async revokeKey({ tenantId, personId, keyId, actor }) {
      const person = await find(tenantId, personId);
      const key = person.keys.find((one) => one.keyId === keyId);
      if (key === undefined) throw new DomainError('not-found', { detail: 'no such key' });
      if (key.revokedAt !== undefined) return person;
      const revoked = { ...key, revokedAt: clock.now() };
      const keys = person.keys.map((one) => (one === key ? revoked : one));
      const changed = { ...person, keys, version: person.version + 1 };
      return save(changed, 'key_revoked', actor, { key_id: keyId });
    },

    list: (tenantId) => fromStore(store.listPersons(tenantId)),
  };
}

async function savePerson(
  { clock, commit, random }: Omit<Parameters<typeof createPersonAdmin>[0], 'store'>,
  person: Person,
  { actor, open, verb }: { readonly actor: Actor; readonly open: JsonObject; readonly verb: Verb },
): Promise<Person> {
  const event = entry(
    { clock, random },
    {
      action: `identity.person.${verb}`,
      actor,
      members: recordMembers(heldPerson(person)),
      target: `person:${person.id}`,
      open,
    },
  );
  const changes = [personTable.put(person, person.version - 1)];
  await commit(chainOf(person.tenantId), { bus: [], changes, events: [event] });
  return person;
}

async function findKnown(
  store: IdentityStore,
  { id, tenantId }: Pick<Person, 'id' | 'tenantId'>,
): Promise<Person> {
  const person = await fromStore(store.findPerson(tenantId, id));
  if (person === undefined) throw new DomainError('not-found', { detail: 'no such person' });
  return person;
}

async function requireTenant(store: IdentityStore, tenantId: TenantId): Promise<void> {
  const tenant = await fromStore(store.findTenant(tenantId));
  if (tenant === undefined) throw new DomainError('not-found', { detail: 'no such tenant' });
}

/**
 * The person behind a user's account, with the roles that token and registration both name: what
 * the identity provider or the administrator took away counts no more, whichever was faster.
 * Undefined for an API key, and for an account that is not registered.
 */
export function personOf(principal: Principal, persons: readonly Person[]): Person | undefined {
  if (principal.kind !== 'user') return undefined;
  const person = persons.find(
    ({ accounts, tenantId }) =>
      tenantId === principal.tenantId &&
      accounts.some(({ issuer, subject }) => `${issuer}|${subject}` === principal.id),
  );
  if (person === undefined) return undefined;
  return { ...person, roles: person.roles.filter((role) => principal.roles.includes(role)) };
}

/** Refuses an account that another person has: it would let one of them sign for both. */
function checkAccounts(accounts: Person['accounts'], others: readonly Person[]): void {
  const named = accounts.every(({ issuer, subject }) => issuer !== '' && subject !== '');
  const taken = new Set(
    others.flatMap((person) => person.accounts.map((one) => `${one.issuer}|${one.subject}`)),
  );
  const free = accounts.every((one) => !taken.has(`${one.issuer}|${one.subject}`));
  if (accounts.length > ACCOUNTS_MAX || !named || !free) {
    throw new DomainError('setting-invalid', {
      detail: `accounts: expected up to ${ACCOUNTS_MAX} pairs of issuer and subject, free ones`,
    });
  }
}

/** Refuses a key that any person has or had, even a revoked one. */
function checkPublicKey(publicKey: string, persons: readonly Person[]): void {
  const raw = bytesFromBase64(publicKey, PUBLIC_KEY_BYTES);
  if (raw === undefined) {
    throw new DomainError('public-key-invalid', { detail: 'expected 32 bytes in base64' });
  }
  const refusal = refusePublicKey(raw);
  if (refusal !== undefined) {
    throw new DomainError('public-key-invalid', { detail: `refused: ${refusal}` });
  }
  if (persons.some(({ keys }) => keys.some((key) => key.publicKey === publicKey))) {
    throw new DomainError('public-key-invalid', { detail: 'already registered' });
  }
}
