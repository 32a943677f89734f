/** Noun `monitor` of the command line: customers that are watched, and the proof that they are. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Actor } from '#core/audit';
import type { Tables, TenantId } from '#core/kernel';
import { readCsvRows } from '#slices/intake';
import {
  BULK_FROM,
  findCoverage,
  findMonitored,
  monitoredTable,
  proveRescreening,
  registerSubjects,
  removeMonitored,
  rescreeningState,
  signedEntries,
  verifyRescreening,
} from '#slices/rescreening';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import { EXIT } from '../../../cli/command.ts';
import { openInput } from '../../../cli/files.ts';
import { table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';

export { checks } from './checks.ts';

import { presentMonitored, presentState } from './presentation.ts';

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
      const tenantId = given.value('tenant') as TenantId;
      const counts = await addFile(process, { actor, file: given.value('file'), tenantId });
      output.result(
        counts,
        `${counts.added} added, ${counts.changed} changed, ${counts.unchanged} as they were, ` +
          `${counts.rejected} lines that cannot be read`,
      );
      return counts.rejected > 0 ? EXIT.refused : EXIT.done;
    },
  },
  {
    words: 'monitor remove',
    summary: 'Watch a customer no more, and take away what is known of him',
    options: [
      TENANT,
      { name: 'subject', value: 'REF', required: true, help: 'your own id of the customer' },
    ],
    example: 'monitor remove --tenant 0190… --subject C-1',
    async run({ actor, open, output }, given) {
      const { clock, commit, random, storage } = await open();
      const ports = { clock, commit, random, tables: storage.tables };
      const tenantId = given.value('tenant') as TenantId;
      const ask = { actor, subjectRef: given.value('subject'), tenantId };
      const removed = await removeMonitored(ports, ask);
      output.result(presentMonitored(removed, undefined), `${removed.subjectRef}: removed`);
      return EXIT.done;
    },
  },
  {
    words: 'monitor status',
    summary:
      'Show how far customers are compared with the lists, and the last runs; or one of them',
    options: [TENANT, { name: 'subject', value: 'REF', help: 'your own id of a customer' }],
    example: 'monitor status --tenant 0190…',
    async run({ open, output }, given) {
      const { keyRing, storage } = await open();
      const { audit, tables } = storage;
      const tenantId = given.value('tenant') as TenantId;
      const subjectRef = given.optional('subject');
      if (subjectRef !== undefined) {
        const found = await findMonitored({ tables }, { subjectRef, tenantId });
        const shown = presentMonitored(found, await findCoverage({ tables }, tenantId));
        const { last_screened: last } = shown;
        const state = last === null ? 'not screened yet' : `screened ${last.at}`;
        output.result(shown, `${shown.status}, by ${shown.source}, ${state}`);
        return EXIT.done;
      }
      const told = presentState(
        await rescreeningState({ entries: signedEntries({ audit, keyRing }), tables }, tenantId),
      );
      const isWaiting = await someWait(tables, tenantId);
      output.result({ ...told, is_waiting: isWaiting }, stateText(told, isWaiting));
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

/** Read as it is registered: the file may have millions of lines. */
async function addFile(
  process: CliProcess,
  of: { readonly actor: Actor; readonly file: string; readonly tenantId: TenantId },
): Promise<typeof NONE> {
  const { actor, file, tenantId } = of;
  const { clock, commit, random, storage } = process;
  const ports = { clock, commit, random, tables: storage.tables };
  const { chunks } = await openInput(file);
  let counts = NONE;
  for await (const { rejections, subjects } of readCsvRows(chunks, { countries })) {
    const { added, changed, unchanged } = counts;
    const some = await registerSubjects(ports, {
      actor,
      addedBy: 'command-line',
      isBulk: added + changed + unchanged >= BULK_FROM,
      subjects: subjects.map(({ subject }) => subject),
      tenantId,
    });
    counts = {
      added: added + some.added,
      changed: changed + some.changed,
      rejected: counts.rejected + rejections.length,
      unchanged: unchanged + some.unchanged,
    };
  }
  await process.wake('rescreening', tenantId);
  return counts;
}

/** Whether customers wait to be screened by themselves. */
async function someWait(tables: Pick<Tables, 'page'>, tenantId: TenantId): Promise<boolean> {
  const asks = [
    { equal: { isDue: true, tenantId }, index: 'due', limit: 1 },
    { equal: { isDueLater: true, tenantId }, index: 'dueLater', limit: 1 },
  ];
  const pages = await Promise.all(asks.map((ask) => tables.page(monitoredTable, ask)));
  return pages.some(({ records }) => records.length > 0);
}

function stateText(told: ReturnType<typeof presentState>, isWaiting: boolean): string {
  const runs = told.runs.map((run) => [
    run.run_id,
    run.mode,
    run.status,
    String(run.customers),
    String(run.found),
    String(run.gone),
    String(run.differences),
    String(run.refused),
    run.ended_at ?? run.started_at,
  ]);
  const batches = told.batches.map((one) => [
    one.batch_id,
    one.failure === null ? one.status : `${one.status}: ${one.failure}`,
    String(one.added),
    String(one.changed),
    String(one.unchanged),
    one.ended_at ?? one.started_at,
  ]);
  const late = told.late_since === null ? '' : `\nLATE     since ${told.late_since}`;
  return (
    `covered  ${told.covered?.list_version ?? 'never'} ${told.covered?.at ?? ''}${late}\n` +
    `new      ${isWaiting ? 'some wait to be screened' : 'none waits'}\n` +
    table(
      ['RUN', 'MODE', 'STATUS', 'CUSTOMERS', 'FOUND', 'GONE', 'DIFFERENT', 'REFUSED', 'AT'],
      runs,
    ) +
    (batches.length === 0
      ? ''
      : `\n${table(['BATCH', 'STATUS', 'ADDED', 'CHANGED', 'AS THEY WERE', 'AT'], batches)}`)
  );
}
