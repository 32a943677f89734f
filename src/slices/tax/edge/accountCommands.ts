/** `tax fi …`, `tax accounts …`: institutions and their accounts at the command line. */
import { DomainError, type TenantId } from '#core/kernel';
import {
  findImport,
  IMPORT_MODES,
  orderImport,
  receiveAccounts,
  saveReportingFi,
} from '#slices/tax';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { openInput } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';
import { taxPortsOf } from './parts.ts';

const TENANT = { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" } as const;
const GIIN = { name: 'giin', value: 'GIIN', required: true, help: 'of the institution' } as const;

/** Imports and institutions. */
export const accountCommands: readonly SliceCommand[] = [
  {
    words: 'tax fi',
    summary: 'State an institution that reports, from a JSON file',
    options: [TENANT, GIIN],
    positionals: [{ name: 'FILE', help: 'its name, address and rules, as in PUT reporting-fis' }],
    example: 'tax fi --tenant 0190… --giin 98Q96B.00000.LE.250 institution.json',
    async run({ actor, open, output }, given) {
      const ports = taxPortsOf(await open());
      const giin = given.value('giin');
      const { version } = await saveReportingFi(ports, {
        actor,
        content: await jsonOf(given.positionals[0] ?? ''),
        giin,
        tenantId: given.value('tenant') as TenantId,
      });
      output.result({ giin, version }, `${giin}: stated, version ${version}`);
      return EXIT.done;
    },
  },
  {
    words: 'tax accounts import',
    summary: 'Hand a file of accounts to the workers: JSON lines or CSV, plain or gzip',
    options: [
      TENANT,
      GIIN,
      { name: 'period', value: 'YEAR', required: true, help: 'the year that it reports' },
      { name: 'mode', value: 'MODE', help: `${IMPORT_MODES.join(' or ')}; absent: upsert` },
    ],
    positionals: [{ name: 'FILE', help: 'one account a line' }],
    example:
      'tax accounts import --tenant 0190… --giin 98Q96B.00000.LE.250 --period 2025 accounts.jsonl',
    async run({ actor, open, output }, given) {
      const [file = ''] = given.positionals;
      const process = await open();
      const ports = taxPortsOf(process);
      const { chunks } = await openInput(file);
      const ordered = await orderImport(ports, {
        actor,
        file: await receiveAccounts(ports, chunks),
        giin: given.value('giin'),
        mode: modeOf(given.optional('mode') ?? 'upsert'),
        period: given.value('period'),
        tenantId: given.value('tenant') as TenantId,
      });
      const { importId, status } = ordered;
      await process.wake('tax', importId);
      output.result(
        { import_id: importId, status },
        `${file}: ${status}, workers take it; import ${importId}`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'tax accounts status',
    summary: 'Say how far a file of accounts is: exit 0 once it has ended well, else 1',
    options: [TENANT],
    positionals: [{ name: 'IMPORT', help: 'the id of the import' }],
    example: 'tax accounts status --tenant 0190… 0190…',
    async run({ open, output }, given) {
      const [importId = ''] = given.positionals;
      const tenantId = given.value('tenant') as TenantId;
      const one = await findImport(taxPortsOf(await open()), { importId, tenantId });
      const { accepted, failure, rejected, rows, status } = one;
      output.result(
        { accepted, failure: failure ?? null, rejected, rows, status },
        `${status}: ${rows} read, ${accepted} taken, ${rejected} refused`,
      );
      return status === 'completed' ? EXIT.done : EXIT.bad;
    },
  },
];

function modeOf(text: string): (typeof IMPORT_MODES)[number] {
  const mode = IMPORT_MODES.find((one) => one === text);
  if (mode === undefined) throw new UsageError(`--mode: expected ${IMPORT_MODES.join(' or ')}`);
  return mode;
}

/** The JSON of a file. Throws `json-malformed`. */
export async function jsonOf(file: string): Promise<unknown> {
  const { chunks } = await openInput(file);
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch (cause) {
    throw new DomainError('json-malformed', { cause, detail: `${file}: expected JSON` });
  }
}
