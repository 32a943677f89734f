/** `case …`, `workflow …`: cases at the command line. */
import { tellRefusals } from '#core/audit';
import type { TenantId } from '#core/kernel';
import {
  CASE_STATUSES,
  type CaseStatus,
  listCases,
  listWorkflows,
  readContent,
  viewCase,
} from '#slices/customers';
import { EXIT } from '../../../cli/command.ts';
import { jsonLines, printable, table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { decideCommand } from './decideCommand.ts';
import { casePortsOf } from './parts.ts';
import { presentCase, presentRow, presentWorkflow } from './presentation.ts';

const SHOWN = 50;
/** Whether cases are what their last signed entries made them; not how many there are. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'cases',
    async look(process) {
      const refusals: string[] = [];
      for (const { id } of await process.identity.listTenants()) {
        refusals.push(...(await casePortsOf(process).signed.check(id)));
      }
      return tellRefusals(refusals, 'subjects, cases, documents and workflows are what was signed');
    },
  },
];

export const commands: readonly SliceCommand[] = [
  {
    words: 'case list',
    summary: 'List the cases of a tenant, latest first',
    options: [
      TENANT,
      { name: 'status', value: 'WORD', help: `one of ${CASE_STATUSES.join(', ')}` },
    ],
    example: 'case list --tenant 0190… --status manual_review',
    async run({ open, output }, given) {
      const ports = casePortsOf(await open());
      const status = given.optional('status') as CaseStatus | undefined;
      const { cases } = await listCases(ports, {
        filter: status === undefined ? {} : { status },
        limit: SHOWN,
        tenantId: given.value('tenant') as TenantId,
      });
      const rows = cases.map(presentRow);
      output.result(
        { cases: rows },
        table(
          ['ID', 'STATUS', 'TIER', 'REFERENCE', 'CHANGED'],
          rows.map((row) => [
            row.case_id,
            row.status,
            row.risk_tier ?? '-',
            printable(row.external_ref),
            row.updated_at,
          ]),
        ),
      );
      return EXIT.done;
    },
  },
  {
    words: 'case show',
    summary: 'Show a case; that it was read is an entry',
    options: [TENANT],
    positionals: [{ name: 'ID', help: 'a case, of `case list`' }],
    example: 'case show --tenant 0190… 0191… --json',
    async run({ actor, open, output }, given) {
      const ports = casePortsOf(await open());
      const tenantId = given.value('tenant') as TenantId;
      const caseId = given.positionals[0] ?? '';
      const record = await viewCase(ports, { actor, caseId, isPerson: true, tenantId });
      const content = record.erasedAt === undefined ? await readContent(ports, record) : undefined;
      const flags = await ports.flagsOf({ externalRef: record.externalRef, tenantId });
      const shown = presentCase(record, { content, flags });
      output.result(shown, jsonLines(shown));
      return EXIT.done;
    },
  },
  decideCommand,
  {
    words: 'workflow list',
    summary: 'List the workflows of a tenant, the newest version of each',
    options: [TENANT],
    example: 'workflow list --tenant 0190…',
    async run({ open, output }, given) {
      const ports = casePortsOf(await open());
      const all = await listWorkflows(ports, given.value('tenant') as TenantId);
      const rows = all.map(presentWorkflow);
      output.result(
        { workflows: rows },
        table(
          ['CODE', 'VERSION', 'FOR', 'DOCUMENTS'],
          rows.map((row) => [
            row.code,
            String(row.version),
            row.subject_types.join(', '),
            row.required_documents.map((kinds) => kinds.join('|')).join(', '),
          ]),
        ),
      );
      return EXIT.done;
    },
  },
];
