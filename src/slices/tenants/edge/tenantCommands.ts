/** `tenant create`, `tenant list`, `tenant set`. */
import type { Tenant } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { administrationOf } from './administrationOf.ts';

export const tenantCommands: readonly SliceCommand[] = [
  {
    words: 'tenant create',
    summary: 'Make a tenant',
    options: [
      { name: 'name', value: 'NAME', required: true, help: 'for people; 1 to 128 characters' },
      { name: 'sandbox', help: 'a sandbox of its own, without a live side' },
    ],
    example: 'tenant create --name "First Bank"',
    async run({ actor, open, output }, given) {
      const { tenants } = await administrationOf(await open());
      const kind = given.isSet('sandbox') ? 'sandbox' : 'live';
      const tenant = await tenants.create({ actor, kind, name: given.value('name') });
      output.result(presentTenant(tenant), tenant.id);
      return EXIT.done;
    },
  },
  {
    words: 'tenant list',
    summary: 'List the tenants',
    example: 'tenant list --json',
    async run({ open, output }) {
      const tenants = await (await administrationOf(await open())).tenants.list();
      const rows = tenants.map(({ id, kind, name, createdAt }) => [
        id,
        kind,
        toTimestamp(createdAt),
        name,
      ]);
      output.result(
        { tenants: tenants.map(presentTenant) },
        table(['TENANT', 'KIND', 'CREATED', 'NAME'], rows),
      );
      return EXIT.done;
    },
  },
  {
    words: 'tenant set',
    summary:
      "Change a tenant's settings; an empty value takes one back to its default. screening.* is " +
      'a change of the policy: a draft that two persons sign, for a sandbox its next version',
    positionals: [
      { name: 'ID', help: "the tenant's id" },
      { name: 'KEY=VALUE', help: 'for example limits.screening_per_second=500', isRest: true },
    ],
    example: 'tenant set 0190… limits.screening_per_second=500 limits.burst=1000',
    async run({ actor, open, output }, given) {
      const [id = '', ...assignments] = given.positionals;
      const changes = readAssignments(assignments);
      const process = await open();
      // Loaded here: help and grammar need none of it.
      const { areOfPolicy, setPolicy } = await import('./policySettings.ts');
      if (areOfPolicy(Object.keys(changes))) {
        return setPolicy(process, output, { actor, changes, id });
      }
      const { tenants } = await administrationOf(process);
      const tenant = await tenants.setSettings({ actor, changes, tenantId: id as TenantId });
      const rows = Object.entries(tenant.settings).map(([key, value]) => `${key}=${value}`);
      output.result(
        presentTenant(tenant),
        rows.map(printable).join('\n') || 'all at their defaults',
      );
      return EXIT.done;
    },
  },
];

function readAssignments(words: readonly string[]): Record<string, string | null> {
  const changes = new Map<string, string | null>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw new UsageError(`'${word}': expected KEY=VALUE`);
    const key = word.slice(0, at);
    if (changes.has(key)) throw new UsageError(`${key} was given twice`);
    const value = word.slice(at + 1);
    changes.set(key, value === '' ? null : value);
  }
  return Object.fromEntries(changes);
}

function presentTenant(tenant: Tenant) {
  return {
    tenant_id: tenant.id,
    name: tenant.name,
    kind: tenant.kind,
    settings: tenant.settings,
    created_at: toTimestamp(tenant.createdAt),
  };
}
