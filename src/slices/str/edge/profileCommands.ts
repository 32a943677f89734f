/** `str profile import` and `str profile list`: FIUs' own schemas. */
import { allRecords, type TenantId } from '#core/kernel';
import { importProfile, type StrProfile, strProfileTable } from '#slices/str';
import { EXIT } from '../../../cli/command.ts';
import { readSmallFile } from '../../../cli/files.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { deskOf } from './parts.ts';

const TENANT = { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" } as const;

export const profileCommands: readonly SliceCommand[] = [
  {
    words: 'str profile import',
    summary: 'Load the schema of an FIU, and what stands beside it',
    options: [
      TENANT,
      { name: 'id', value: 'ID', required: true, help: 'as tenants set it: ae-5.0.2' },
      { name: 'file', value: 'XSD', required: true, help: 'as the FIU publishes it' },
      { name: 'settings', value: 'FILE', required: true, help: 'JSON: docs/str.md has one' },
    ],
    example: 'str profile import --tenant 0190… --id ae --file goAMLSchema.xsd --settings ae.json',
    async run({ actor, open, output }, given) {
      // The help loads no schemas.
      const { readSettings } = await import('./settingsFile.ts');
      const settings = await readSettings(given.value('settings'));
      const xsd = await readSmallFile(given.value('file'));
      const { grammar, profile } = await importProfile(deskOf(await open()), {
        actor,
        profileId: given.value('id'),
        settings,
        tenantId: given.value('tenant') as TenantId,
        xsd,
      });
      const { repairs, schema, strict } = profile;
      output.result(
        {
          ...present(profile),
          codes: Object.fromEntries(
            [...grammar.codes].map(([type, codes]) => [type, codes.length]),
          ),
          repairs,
        },
        [
          `profile   ${profile.profileId}`,
          `published ${schema.sha256}`,
          `mended    ${strict.sha256}`,
          ...repairs.map(
            ({ count, pattern, repaired }) =>
              `pattern   ${count} × ${pattern} → ${repaired ?? 'left out'}`,
          ),
        ].join('\n'),
      );
      return EXIT.done;
    },
  },
  {
    words: 'str profile list',
    summary: 'List the profiles of a tenant',
    options: [TENANT],
    example: 'str profile list --tenant 0190…',
    async run({ open, output }, given) {
      const { tables } = (await open()).storage;
      const tenantId = given.value('tenant') as TenantId;
      const ask = { equal: { tenantId }, index: 'key' };
      const rows = (await allRecords(tables, strProfileTable, ask)).map(present);
      output.result(
        { profiles: rows },
        table(
          ['ID', 'FIU', 'COUNTRY', 'SCHEMA'],
          rows.map((row) => [row.profile, row.fiu, row.country, row.schema_sha256]),
        ),
      );
      return EXIT.done;
    },
  },
];

const present = ({ profileId, schema, settings, strict }: StrProfile) => ({
  country: settings.country,
  fiu: settings.fiu,
  profile: profileId,
  schema_sha256: schema.sha256,
  strict_schema_sha256: strict.sha256,
});
