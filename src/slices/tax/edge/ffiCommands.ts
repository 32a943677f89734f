/** `tax ffi import`, `tax giin`: numbers of institutions at the command line. */
import type { TenantId } from '#core/kernel';
import { importFfiList, openFfiListing, readGiin } from '#slices/tax';
import { EXIT } from '../../../cli/command.ts';
import { openInput } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';
import { taxPortsOf } from './parts.ts';

export const ffiCommands: readonly SliceCommand[] = [
  {
    words: 'tax ffi import',
    summary: 'Bring in the FFI list of the IRS, which reports are compared with',
    options: [
      { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" },
      { name: 'published', value: 'DAY', required: true, help: 'when, as 2026-11-01' },
    ],
    positionals: [{ name: 'FILE', help: 'the CSV, with a column GIIN' }],
    example: 'tax ffi import --tenant 0190… --published 2026-11-01 FFIListFull.csv',
    async run({ actor, open, output }, given) {
      const { chunks } = await openInput(given.positionals[0] ?? '');
      const { entries, listedOn } = await importFfiList(taxPortsOf(await open()), {
        actor,
        chunks,
        listedOn: given.value('published'),
        tenantId: given.value('tenant') as TenantId,
      });
      const text = `FFI list of ${listedOn}: ${entries} numbers`;
      output.result({ entries, listed_on: listedOn }, text);
      return EXIT.done;
    },
  },
  {
    words: 'tax giin',
    summary: 'Say whether a GIIN has the form of one, of which category and country, and is listed',
    options: [
      { name: 'tenant', value: 'ID', help: 'whose FFI list says if it is listed; absent: none' },
    ],
    positionals: [{ name: 'GIIN', help: 'six, five, two and three characters with dots' }],
    example: 'tax giin --tenant 0190… 98Q96B.00000.LE.250',
    async run({ clock, open, output }, given) {
      const [giin = ''] = given.positionals;
      const found = readGiin(giin);
      const tenant = given.optional('tenant');
      if (!found.isValid) {
        output.result(found, `expected ${found.expected}`);
        return EXIT.bad;
      }
      const form = `${found.giin.category} ${found.giin.country}`;
      if (tenant === undefined) {
        output.result(found, form);
        return EXIT.done;
      }
      const listing = await openFfiListing(taxPortsOf(await open()), tenant as TenantId);
      const state = listing?.stateOf(giin, clock.now()) ?? 'no_list';
      const listedOn = listing?.listedOn ?? null;
      output.result({ ...found, listed_on: listedOn, state }, `${form}, ${state}`);
      return state === 'listed' ? EXIT.done : EXIT.bad;
    },
  },
];
