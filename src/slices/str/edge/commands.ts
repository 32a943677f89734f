/**
 * `str …`: reports, the profiles of FIUs, and the ways to them, at the command line. What has
 * schemas is loaded when it is called, so that the help loads none.
 */
import { type Actor, tellRefusals } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import {
  changeReport,
  createReport,
  listReports,
  readerOf,
  readPackage,
  requestValidation,
  type StrAsk,
  type StrPlace,
  type StrReport,
  seeReport,
  submitReport,
  unreadable,
  viewedEntry,
} from '#slices/str';
import { EXIT } from '../../../cli/command.ts';
import { writeWhole } from '../../../cli/files.ts';
import { jsonLines, table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { CliProcess, SliceCheck, SliceCommand } from '../../processes.ts';
import { channelCommand } from './channelCommand.ts';
import { deskOf } from './parts.ts';
import { presentChanged, presentReport, presentRow } from './presentation.ts';
import { profileCommands } from './profileCommands.ts';
import { signCommand } from './signCommand.ts';
import { validateCommand } from './validateCommand.ts';

const SHOWN_REPORTS = 50;
const REPORT = [{ name: 'ID', help: 'a report, of `str list`' }] as const;

/** Whether reports are what their last signed entries made them; not how many there are. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'str',
    async look(process) {
      const refusals: string[] = [];
      for (const { id } of await process.identity.listTenants()) {
        const desk = deskOf(process);
        refusals.push(...(await desk.signed.check(id)), ...(await unreadable(desk, id)));
      }
      return tellRefusals(refusals, 'reports to the authority are what was signed');
    },
  },
];

export const commands: readonly SliceCommand[] = [
  {
    words: 'str list',
    summary: 'List the reports of a tenant, latest first',
    options: [TENANT],
    example: 'str list --tenant 0190…',
    async run({ actor, open, output }, given) {
      const ports = deskOf(await open());
      const tenantId = given.value('tenant') as TenantId;
      const reader = readerOf({ actor, kind: 'cli' }, []);
      const { reports } = await listReports(ports, { limit: SHOWN_REPORTS, reader, tenantId });
      const rows = reports.map(presentRow);
      output.result(
        { reports: rows },
        table(
          ['ID', 'STATUS', 'CODE', 'PROFILE', 'CHANGED'],
          rows.map((row) => [row.str_id, row.status, row.report_code, row.profile, row.updated_at]),
        ),
      );
      return EXIT.done;
    },
  },
  {
    words: 'str show',
    summary: 'Show a report with all that it says; that it was read is an entry',
    options: [TENANT],
    positionals: REPORT,
    example: 'str show --tenant 0190… 0191… --json',
    async run({ actor, open, output }, given) {
      const ports = deskOf(await open());
      const ask = placed(actor, given);
      const seen = await seeReport(ports, ask);
      await ports.commit(chainOf(ask.tenantId), {
        bus: [],
        changes: [],
        events: [viewedEntry(ports, seen, { what: 'report' })],
      });
      const shown = await presentReport(ports, seen);
      output.result(shown, jsonLines(shown));
      return EXIT.done;
    },
  },
  {
    words: 'str draft',
    summary: 'Draft a report from a file, or change one by it',
    options: [
      TENANT,
      { name: 'file', value: 'FILE', required: true, help: 'what it says, as the API takes it' },
      { name: 'report', value: 'ID', help: 'change this one instead' },
    ],
    example: 'str draft --tenant 0190… --file report.json',
    run: ({ actor, open, output }, given) =>
      changed({ open, output }, async (process) => {
        const ports = deskOf(process);
        const strId = given.optional('report');
        const { readContentFile } = await import('./contentFile.ts');
        const content = await readContentFile(given.value('file'), strId);
        const ask = askOf(actor, given.value('tenant'));
        return strId === undefined
          ? createReport(ports, ask, content)
          : changeReport(ports, { ...ask, strId }, content);
      }),
  },
  {
    words: 'str request-validation',
    summary: 'Hand a report to the data protection officers; all that it lacks is told',
    options: [TENANT],
    positionals: REPORT,
    example: 'str request-validation --tenant 0190… 0191…',
    run: ({ actor, open, output }, given) =>
      changed({ open, output }, (process) =>
        requestValidation(deskOf(process), placed(actor, given)),
      ),
  },
  signCommand,
  validateCommand,
  {
    words: 'str submit',
    summary: 'File a validated report',
    options: [TENANT],
    positionals: REPORT,
    example: 'str submit --tenant 0190… 0191…',
    run: ({ actor, open, output }, given) =>
      changed({ open, output }, async (process) => {
        const ask = placed(actor, given);
        const report = await submitReport(deskOf(process), ask);
        await process.wake('str', ask.tenantId);
        return report;
      }),
  },
  {
    words: 'str package',
    summary: 'Write the last package of a report into a file',
    options: [TENANT, { name: 'out', value: 'FILE', required: true, help: 'a ZIP' }],
    positionals: REPORT,
    example: 'str package --tenant 0190… 0191… --out report.zip',
    async run({ actor, open, output }, given) {
      const ports = deskOf(await open());
      const ask = placed(actor, given);
      const seen = await seeReport(ports, ask);
      const submission = seen.report.submissions.at(-1);
      if (submission === undefined) {
        throw new DomainError('state-conflict', { detail: 'the report was not submitted yet' });
      }
      await ports.commit(chainOf(ask.tenantId), {
        bus: [],
        changes: [],
        events: [viewedEntry(ports, seen, { what: 'package' })],
      });
      const bytes = await readPackage(ports, seen.report, submission);
      const file = given.value('out');
      await writeWhole(file, pieces(bytes));
      const { packageSha256 } = submission;
      output.result({ file, sha256: packageSha256 }, `${file}\nsha256 ${packageSha256}`);
      return EXIT.done;
    },
  },
  {
    words: 'str acknowledge',
    summary: 'Write down that the authority has taken a report',
    options: [
      TENANT,
      { name: 'reference', value: 'TEXT', required: true, help: 'the authority’s own reference' },
    ],
    positionals: REPORT,
    example: 'str acknowledge --tenant 0190… 0191… --reference FIU-2026-000123',
    run: ({ actor, open, output }, given) =>
      changed({ open, output }, async (process) => {
        const { writeDown } = await import('./filing.ts');
        return writeDown(deskOf(process), placed(actor, given), {
          fiuReference: given.value('reference'),
          kind: 'acknowledged',
        });
      }),
  },
  ...profileCommands,
  channelCommand,
];

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

type Means = Pick<Parameters<SliceCommand['run']>[0], 'open' | 'output'>;

/** Makes a change and prints the state of the report. */
export async function changed(
  { open, output }: Means,
  change: (process: CliProcess) => Promise<StrReport>,
) {
  const shown = presentChanged(await change(await open()));
  output.result(shown, `${shown.str_id} ${shown.status}`);
  return EXIT.done;
}

const askOf = (actor: Actor, tenant: string): StrAsk => ({
  principal: { actor, kind: 'cli' },
  tenantId: tenant as TenantId,
});

const placed = (
  actor: Actor,
  given: { value(name: string): string; readonly positionals: readonly string[] },
): StrAsk & StrPlace => ({
  ...askOf(actor, given.value('tenant')),
  strId: given.positionals[0] ?? '',
  tenantId: given.value('tenant') as TenantId,
});
