/** `transactions ingest`: a message or a file of messages into a tenant's log, without HTTP. */
import { DomainError, type TenantId } from '#core/kernel';
import {
  FORMATS,
  type Format,
  orderFile,
  type Refusal,
  readMessage,
  receiveFile,
  rejectedOf,
  takeTransactions,
} from '#slices/monitoring';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { openInput } from '../../../cli/files.ts';
import { printable } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { settings } from '../settings.ts';
import { partyScreeningOfCommand } from './parts.ts';

/** Refusals that are shown; all are counted. */
const SHOWN_MAX = 100;

export const ingestCommand: SliceCommand = {
  words: 'transactions ingest',
  summary: 'Take a file into the log of a tenant: exit 0, or 1 where any was refused',
  positionals: [
    { name: 'FILE', help: 'a message, a file of messages, or a CSV, which workers take' },
  ],
  options: [
    { name: 'tenant', value: 'ID', required: true, help: 'whose transactions they are' },
    {
      name: 'format',
      value: 'FORMAT',
      required: true,
      help: FORMATS.join(', '),
    },
  ],
  example: 'transactions ingest payments.fin --tenant 0190… --format swift_mt103',
  async run({ actor, open, output }, given) {
    const [file = ''] = given.positionals;
    const format = formatOf(given.value('format'));
    const tenantId = given.value('tenant') as TenantId;
    const process = await open();
    const tenant = await process.identity.findTenant(tenantId);
    if (tenant === undefined) throw new DomainError('not-found');
    if (format === 'csv_service') {
      const { chunks } = await openInput(file);
      const received = await receiveFile(process, chunks);
      const ordered = await orderFile(
        { ...process, tables: process.storage.tables },
        {
          actor,
          file: received,
          requestedBy: actor,
          sandbox: tenant.kind === 'sandbox',
          tenantId,
        },
      );
      await process.wake('monitoring', ordered.ingestId);
      output.result(
        { ingest_id: ordered.ingestId, status: ordered.status },
        `${file}: ${ordered.status}, workers take it; ingest ${ordered.ingestId}`,
      );
      return EXIT.done;
    }
    const context = (await process.tenants.settings(tenantId)).of(settings);
    const raw = await whole(file);
    const read = readMessage(format, raw, context);
    const outcome = await takeTransactions(
      {
        ...process,
        screening: partyScreeningOfCommand(process, (text) => output.error(text)),
        tables: process.storage.tables,
      },
      {
        actor,
        format,
        raw,
        read: read.transactions,
        refusals: read.refusals,
        requestedBy: actor,
        sandbox: tenant.kind === 'sandbox',
        tenantId,
      },
    );
    const { accepted, duplicates, ingestId, refusals } = outcome;
    const errors = refusals.slice(0, SHOWN_MAX);
    const rejected = rejectedOf(outcome);
    output.result(
      { accepted, duplicates, errors, ingest_id: ingestId, rejected },
      [
        `${file}: ${accepted} taken, ${duplicates} known, ${rejected} refused; ingest ${ingestId}`,
        ...errors.map(lineOf),
      ].join('\n'),
    );
    return rejected === 0 ? EXIT.done : EXIT.bad;
  },
};

async function whole(file: string): Promise<Buffer> {
  const { chunks } = await openInput(file);
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}

export function formatOf(text: string): Format {
  const format = FORMATS.find((known) => known === text);
  if (format === undefined) throw new UsageError(`--format: expected one of ${FORMATS.join(', ')}`);
  return format;
}

/** A refusal as people read it. */
export const lineOf = ({ code, detail, index, line, pointer }: Refusal): string =>
  printable(
    `  ${index}${line === undefined ? '' : ` (line ${line})`} ${pointer} ${code}: ${detail}`,
  );
