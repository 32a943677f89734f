/** `tax …`: who is reported and why, at the command line. */
import { tellRefusals } from '#core/audit';
import type { TenantId } from '#core/kernel';
import { listClassifications } from '#slices/tax';
import { EXIT } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { taxPortsOf } from './parts.ts';
import { presentRow } from './presentation.ts';

const SHOWN_CLASSIFICATIONS = 50;

/** Whether classifications are what their last signed entries made them; not how many there are. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'tax',
    async look(process) {
      const refusals: string[] = [];
      for (const { id } of await process.identity.listTenants()) {
        refusals.push(...(await taxPortsOf(process).signed.check(id)));
      }
      return tellRefusals(refusals, 'classifications for tax reporting are what was signed');
    },
  },
];

export const commands: readonly SliceCommand[] = [
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
];
