/** `tax …`: who is reported and why, at the command line. */
import { tellRefusals } from '#core/audit';
import type { TenantId } from '#core/kernel';
import { dayOf, listClassifications, readTin } from '#slices/tax';
import { EXIT } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { accountCommands } from './accountCommands.ts';
import { declarationCommands } from './declarationCommands.ts';
import { demoCommand } from './demoCommand.ts';
import { depositCommands } from './depositCommands.ts';
import { ffiCommands } from './ffiCommands.ts';
import { filingCommands } from './filingCommands.ts';
import { formCommands } from './formCommands.ts';
import { notificationCommands } from './notificationCommands.ts';
import { packageCommands } from './packageCommands.ts';
import { taxPortsOf } from './parts.ts';
import { presentRow } from './presentation.ts';

const SHOWN_CLASSIFICATIONS = 50;

/** Whether records are what their last signed entries made them; not how many there are. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'tax',
    async look(process) {
      const refusals: string[] = [];
      for (const { id } of await process.identity.listTenants()) {
        const ports = taxPortsOf(process);
        const kinds = [
          ports.signed,
          ports.signedBooks,
          ports.signedChannels,
          ports.signedDeclarations,
          ports.signedFfiLists,
          ports.signedFis,
          ports.signedForms,
          ports.signedHolders,
          ports.signedImports,
          ports.signedNotifications,
        ];
        for (const kind of kinds) {
          refusals.push(...(await kind.check(id)));
        }
      }
      return tellRefusals(refusals, 'records of tax reporting are what was signed');
    },
  },
];

export const commands: readonly SliceCommand[] = [
  ...accountCommands,
  ...declarationCommands,
  {
    words: 'tax list',
    summary: 'List the classifications of a tenant, latest first',
    options: [{ name: 'tenant', value: 'ID', required: true, help: "the tenant's id" }],
    example: 'tax list --tenant 0190…',
    async run({ open, output }, given) {
      const tenantId = given.value('tenant') as TenantId;
      const { records } = await listClassifications(taxPortsOf(await open()), {
        limit: SHOWN_CLASSIFICATIONS,
        tenantId,
      });
      const rows = records.map(presentRow);
      output.result(
        { classifications: rows },
        table(
          ['ID', 'HOLDER', 'KIND', 'STATUS', 'REVIEW'],
          rows.map((row) => [
            row.classification_id,
            row.subject_ref,
            row.kind,
            row.status,
            row.review_at ?? '',
          ]),
        ),
      );
      return EXIT.done;
    },
  },
  {
    words: 'tax number',
    summary: 'Say what is known of a tax number; nothing of it is sent or kept',
    options: [
      { name: 'country', value: 'CC', required: true, help: 'whose number it is, as FR' },
      { name: 'period', value: 'YEAR', help: 'of the report: codes of the IRS are dated' },
    ],
    positionals: [{ name: 'NUMBER', help: 'as it goes into a report' }],
    example: 'tax number --country IT RCCMNL83S18D969H',
    async run({ clock, output }, given) {
      const period = Number(given.optional('period') ?? dayOf(clock.now()).slice(0, 4));
      const country = given.value('country');
      const found = readTin({ country, period, value: given.positionals[0] ?? '' });
      output.result(found, [found.state, ...found.kinds].join(' '));
      return found.state === 'invalid' ? EXIT.bad : EXIT.done;
    },
  },
  ...ffiCommands,
  ...formCommands,
  ...packageCommands,
  ...depositCommands,
  demoCommand,
  ...filingCommands,
  ...notificationCommands,
];
