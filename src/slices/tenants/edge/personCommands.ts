/** `person add`, `person change`, `person list`, `person key add`, `person key revoke`: people. */
import type { Person } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { LOCALES } from '#platform/locales';
import { type CommandOption, EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCommand } from '../../processes.ts';
import { administrationOf } from './administrationOf.ts';

const PERSON: CommandOption = {
  name: 'person',
  value: 'ID',
  required: true,
  help: 'from `person add` or `person list`',
};

const EMAIL: CommandOption = {
  name: 'email',
  value: 'ADDRESS',
  help: 'where notices are sent to',
};
const LOCALE: CommandOption = {
  name: 'locale',
  value: 'LOCALE',
  help: `the language of notices: ${LOCALES.join(', ')}`,
};

export const personCommands: readonly SliceCommand[] = [
  {
    words: 'person add',
    summary: 'Register a person with the accounts that are theirs',
    options: [
      TENANT,
      { name: 'name', value: 'NAME', required: true, help: 'for people' },
      { name: 'roles', value: 'A,B', required: true, help: 'comma-separated' },
      {
        name: 'account',
        value: 'ISSUER|SUBJECT',
        repeatable: true,
        help: "issuer and sub of a token of the person's; may be given several times",
      },
      EMAIL,
      LOCALE,
    ],
    example: 'person add --tenant 0190… --name "A. Ben" --roles mlro --account "https://idp|42"',
    async run({ actor, open, output }, given) {
      const accounts = given.all('account').map(readAccount);
      const { persons } = await administrationOf(await open());
      const email = given.optional('email');
      const locale = given.optional('locale');
      const person = await persons.add({
        accounts,
        actor,
        ...(email !== undefined && { email }),
        ...(locale !== undefined && { locale }),
        name: given.value('name'),
        roles: given
          .value('roles')
          .split(',')
          .map((role) => role.trim()),
        tenantId: given.value('tenant') as TenantId,
      });
      output.result(presentPerson(person), person.id);
      return EXIT.done;
    },
  },
  {
    words: 'person change',
    summary: 'Change where a person is written to, and in which language',
    options: [
      TENANT,
      PERSON,
      EMAIL,
      { name: 'no-email', help: 'take the address away: nobody writes to the person' },
      LOCALE,
      { name: 'no-locale', help: 'take the language away' },
    ],
    example: 'person change --tenant 0190… --person 0190… --email a.ben@bank.example --locale fr',
    async run({ actor, open, output }, given) {
      const email = contactOf(given, 'email');
      const locale = contactOf(given, 'locale');
      if (email === undefined && locale === undefined) {
        throw new UsageError(
          'nothing to change: give --email, --no-email, --locale or --no-locale',
        );
      }
      const { persons } = await administrationOf(await open());
      const person = await persons.changeContact({
        actor,
        personId: given.value('person'),
        tenantId: given.value('tenant') as TenantId,
        ...(email !== undefined && { email }),
        ...(locale !== undefined && { locale }),
      });
      output.result(presentPerson(person), `${person.id} is changed`);
      return EXIT.done;
    },
  },
  {
    words: 'person list',
    summary: "List a tenant's people",
    options: [TENANT],
    example: 'person list --tenant 0190…',
    async run({ open, output }, given) {
      const persons = await (await administrationOf(await open())).persons.list(
        given.value('tenant') as TenantId,
      );
      const rows = persons.map((person) => [
        person.id,
        person.roles.join(','),
        String(person.accounts.length),
        String(person.keys.filter((key) => key.revokedAt === undefined).length),
        person.email?.address ?? '–',
        person.name,
      ]);
      output.result(
        { persons: persons.map(presentPerson) },
        table(['PERSON', 'ROLES', 'ACCOUNTS', 'KEYS', 'EMAIL', 'NAME'], rows),
      );
      return EXIT.done;
    },
  },
  {
    words: 'person key add',
    summary: 'Register a public key that the person signs with',
    options: [
      TENANT,
      PERSON,
      { name: 'public-key', value: 'B64', required: true, help: 'raw Ed25519, 32 bytes in base64' },
    ],
    example: 'person key add --tenant 0190… --person 0190… --public-key 11qYAYKxCrfVS/7T…',
    async run({ actor, open, output }, given) {
      const { persons } = await administrationOf(await open());
      const person = await persons.addKey({
        actor,
        personId: given.value('person'),
        publicKey: given.value('public-key'),
        tenantId: given.value('tenant') as TenantId,
      });
      output.result(presentPerson(person), person.keys.at(-1)?.keyId ?? '');
      return EXIT.done;
    },
  },
  {
    words: 'person key revoke',
    summary: "End a person's key: nothing that it signs from now on is accepted",
    options: [TENANT, PERSON, { name: 'key', value: 'ID', required: true, help: "the key's id" }],
    example: 'person key revoke --tenant 0190… --person 0190… --key 0190…',
    async run({ actor, open, output }, given) {
      const { persons } = await administrationOf(await open());
      const keyId = given.value('key');
      const person = await persons.revokeKey({
        actor,
        keyId,
        personId: given.value('person'),
        tenantId: given.value('tenant') as TenantId,
      });
      output.result(presentPerson(person), `${keyId} is revoked`);
      return EXIT.done;
    },
  },
];

/** Null: it is to be taken away. */
function contactOf(given: Given, name: 'email' | 'locale'): string | null | undefined {
  const text = given.optional(name);
  if (!given.isSet(`no-${name}`)) return text;
  if (text !== undefined) throw new UsageError(`--${name} and --no-${name} contradict each other`);
  return null;
}

function readAccount(text: string): Person['accounts'][number] {
  const at = text.indexOf('|');
  if (at < 1 || at === text.length - 1) {
    throw new UsageError('--account: expected ISSUER|SUBJECT');
  }
  return { issuer: text.slice(0, at), subject: text.slice(at + 1) };
}

function presentPerson(person: Person) {
  return {
    person_id: person.id,
    tenant_id: person.tenantId,
    name: person.name,
    roles: person.roles,
    accounts: person.accounts,
    email: person.email?.address ?? null,
    locale: person.locale ?? null,
    keys: person.keys.map((key) => ({
      key_id: key.keyId,
      public_key: key.publicKey,
      valid_from: toTimestamp(key.validFrom),
      revoked_at: key.revokedAt === undefined ? null : toTimestamp(key.revokedAt),
    })),
  };
}
