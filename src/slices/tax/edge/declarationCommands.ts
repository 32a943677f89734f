/** `tax declare`, `tax declarations`: reports at the command line. */
import { DomainError, type TenantId } from '#core/kernel';
import { createDeclaration, DECLARATION_TYPES, listDeclarations } from '#slices/tax';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { taxPortsOf } from './parts.ts';
import { presentDeclaration, presentDeclarationRow } from './presentation.ts';

const TENANT = { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" } as const;
const SHOWN_MAX = 50;

/** Declarations. */
export const declarationCommands: readonly SliceCommand[] = [
  {
    words: 'tax declare',
    summary: 'Make a declaration, whose XML workers generate',
    options: [
      TENANT,
      { name: 'giin', value: 'GIIN', required: true, help: 'of the institution' },
      { name: 'period', value: 'YEAR', required: true, help: 'the year that it reports' },
      { name: 'type', value: 'TYPE', required: true, help: DECLARATION_TYPES.join(', ') },
      { name: 'filer-category', value: 'CODE', help: 'such as FATCA601; none for CRS' },
      { name: 'receiver', value: 'CC', help: 'the jurisdiction that it goes to' },
      { name: 'corrects', value: 'ID', help: 'the declaration that it follows on' },
      { name: 'nil', help: 'there is no account to report' },
      { name: 'submit', help: 'submit it as soon as it is generated' },
    ],
    example:
      'tax declare --tenant 0190… --giin 98Q96B.00000.LE.250 --period 2025 --type FATCA1 ' +
      '--filer-category FATCA601',
    async run({ actor, open, output }, given) {
      const process = await open();
      const tenantId = given.value('tenant') as TenantId;
      const tenant = await process.identity.findTenant(tenantId);
      if (tenant === undefined) throw new DomainError('not-found');
      const filerCategory = given.optional('filer-category');
      const receivingCountry = given.optional('receiver');
      const corrects = given.optional('corrects');
      const made = await createDeclaration(taxPortsOf(process), {
        actor,
        autoSubmit: given.isSet('submit'),
        giin: given.value('giin'),
        isTest: tenant.kind === 'sandbox',
        nilReport: given.isSet('nil'),
        period: given.value('period'),
        tenantId,
        type: typeOf(given.value('type')),
        ...(corrects !== undefined && { corrects }),
        ...(filerCategory !== undefined && { filerCategory }),
        ...(receivingCountry !== undefined && { receivingCountry }),
      });
      await process.wake('tax', made.declarationId);
      output.result(
        presentDeclaration(made),
        `${made.reference}: ${made.status}, workers generate it; ${made.declarationId}`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'tax declarations',
    summary: 'List the declarations of a tenant, latest first',
    options: [TENANT, { name: 'year', value: 'YEAR', help: 'of this period alone' }],
    example: 'tax declarations --tenant 0190… --year 2025',
    async run({ open, output }, given) {
      const year = given.optional('year');
      const { records } = await listDeclarations(taxPortsOf(await open()), {
        limit: SHOWN_MAX,
        tenantId: given.value('tenant') as TenantId,
        ...(year !== undefined && { year }),
      });
      const rows = records.map(presentDeclarationRow);
      output.result(
        { declarations: rows },
        table(
          ['REFERENCE', 'TYPE', 'PERIOD', 'ACCOUNTS', 'STATUS', 'ID'],
          rows.map((row) => [
            row.reference,
            row.nil_report ? `${row.type} nil` : row.type,
            row.reporting_period,
            String(row.account_count),
            row.status,
            row.declaration_id,
          ]),
        ),
      );
      return EXIT.done;
    },
  },
];

function typeOf(text: string): (typeof DECLARATION_TYPES)[number] {
  const type = DECLARATION_TYPES.find((one) => one === text);
  if (type === undefined)
    throw new UsageError(`--type: expected one of ${DECLARATION_TYPES.join(', ')}`);
  return type;
}
