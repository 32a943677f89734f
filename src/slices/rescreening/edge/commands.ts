/** Noun `monitor` of the command line: customers that are watched, and the proof that they are. */
import { readFile, writeFile } from 'node:fs/promises';
import type { TenantId } from '#core/kernel';
import { readCsvRows } from '#slices/intake';
import {
  findCoverage,
  monitoredTable,
  proveRescreening,
  type RegisterCounts,
  registerSubjects,
  runTable,
  verifyRescreening,
} from '#slices/rescreening';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import { type CommandOption, EXIT } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { presentRun, presentState } from './presentation.ts';

const RUNS_SHOWN = 20;
const TENANT: CommandOption = {
  name: 'tenant',
  value: 'ID',
  required: true,
  help: "the tenant's id",
};

export const commands: readonly SliceCommand[] = [
  {
    words: 'monitor add',
    summary: 'Have the customers of a CSV file screened with every list that changes',
    options: [
      TENANT,
      { name: 'file', value: 'FILE', required: true, help: 'columns as of a batch’s CSV' },
    ],
    example: 'monitor add --tenant 0190… --file customers.csv',
    async run({ actor, open, output }, given) {
      const process = await open();
      const { clock, commit, random, storage } = process;
      const tenantId = given.value('tenant') as TenantId;
      const ports = { clock, commit, random, tables: storage.tables };
      const bytes = await readFile(given.value('file'));
      let counts: RegisterCounts & { readonly rejected: number } = NONE;
      for await (const { rejections, subjects } of readCsvRows(oneOf(bytes), { countries })) {
        const some = await registerSubjects(ports, {
          actor,
          addedBy: 'command-line',
          subjects: subjects.map(({ subject }) => subject),
          tenantId,
        });
        counts = {
          added: counts.added + some.added,
          changed: counts.changed + some.changed,
          rejected: counts.rejected + rejections.length,
          unchanged: counts.unchanged + some.unchanged,
        };
      }
      await process.wake('rescreening', tenantId);
      output.result(
        counts,
        `${counts.added} added, ${counts.changed} changed, ${counts.unchanged} as they were, ` +
          `${counts.rejected} lines that cannot be read`,
      );
      return counts.rejected > 0 ? EXIT.refused : EXIT.done;
    },
  },
  {
    words: 'monitor status',
    summary: 'Show how far customers are compared with the lists, and the last runs',
    options: [TENANT],
    example: 'monitor status --tenant 0190…',
    async run({ open, output }, given) {
      const { tables } = (await open()).storage;
      const tenantId = given.value('tenant') as TenantId;
      const { records } = await tables.page(runTable, {
        direction: 'descending',
        equal: { tenantId },
        index: 'newest',
        limit: RUNS_SHOWN,
      });
      const coverage = await findCoverage({ tables }, tenantId);
      const waiting = await tables.page(monitoredTable, {
        equal: { isDue: true, tenantId },
        index: 'due',
        limit: 1,
      });
      const told = presentState(coverage, records);
      const rows = records
        .map(presentRun)
        .map((run) => [
          run.run_id,
          run.mode,
          run.status,
          String(run.customers),
          String(run.found),
          String(run.gone),
          String(run.differences),
          run.ended_at ?? run.started_at,
        ]);
      const state =
        `covered  ${told.covered?.list_version ?? 'never'} ${told.covered?.at ?? ''}\n` +
        `new      ${waiting.records.length > 0 ? 'some wait to be screened' : 'none waits'}\n`;
      const head = ['RUN', 'MODE', 'STATUS', 'CUSTOMERS', 'FOUND', 'GONE', 'DIFFERENT', 'AT'];
      output.result(told, state + table(head, rows));
      return EXIT.done;
    },
  },
  {
    words: 'monitor proof',
    summary: 'Write the proof that a customer was screened against a version of the lists',
    options: [
      TENANT,
      { name: 'subject', value: 'REF', required: true, help: 'your own id of the customer' },
      { name: 'run', value: 'ID', help: 'a run of `monitor status` (default: the last one)' },
      { name: 'out', value: 'FILE', required: true, help: 'the file to write' },
    ],
    example: 'monitor proof --tenant 0190… --subject C-1 --out C-1.json',
    async run({ open, output }, given) {
      const { blobs, storage } = await open();
      const runId = given.optional('run');
      const proof = await proveRescreening(
        { audit: storage.audit, blobs, tables: storage.tables },
        {
          ...(runId !== undefined && { runId }),
          subjectRef: given.value('subject'),
          tenantId: given.value('tenant') as TenantId,
        },
      );
      const file = given.value('out');
      await writeFile(file, `${JSON.stringify(proof)}\n`, { flag: 'wx' });
      output.result({ file }, `${file}: verify it by \`monitor verify\``);
      return EXIT.done;
    },
  },
  {
    words: 'monitor verify',
    summary: 'Verify such a proof by the public keys, without the installation',
    options: [
      { name: 'file', value: 'FILE', required: true, help: 'of `monitor proof`' },
      { name: 'keys', value: 'FILE', required: true, help: 'of `keys public`' },
      { name: 'subject', value: 'REF', help: 'it must be about this customer' },
    ],
    example: 'monitor verify --file C-1.json --keys keys.json --subject C-1',
    async run({ output }, given) {
      const proof: unknown = JSON.parse(await readFile(given.value('file'), 'utf8'));
      const keys: unknown = JSON.parse(await readFile(given.value('keys'), 'utf8'));
      const checked = verifyRescreening(proof, keys, given.optional('subject'));
      if (!checked.ok) {
        output.result({ ok: false, reason: checked.reason }, `refused: ${checked.reason}`);
        return EXIT.refused;
      }
      const { decision, listVersion, occurredAt, seq } = checked.value;
      output.result(
        { ok: true, ...checked.value },
        `${decision} against ${listVersion} at ${occurredAt} (event ${seq})`,
      );
      return EXIT.done;
    },
  },
];

const NONE = { added: 0, changed: 0, rejected: 0, unchanged: 0 };

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
