/** `registry …`: extracts of registries at the command line. */
import { tellRefusals } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import {
  checkExtracts,
  FILE_BYTES_MAX,
  findExtract,
  importRegistry,
  REGISTRIES,
  type RegistryName,
} from '#slices/registries';
import { type CommandOption, EXIT, UsageError } from '../../../cli/command.ts';
import { FileFailure, openInput } from '../../../cli/files.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { importPortsOf } from './parts.ts';

const REGISTRY: CommandOption = {
  name: 'registry',
  value: 'NAME',
  required: true,
  help: `one of ${REGISTRIES.join(', ')}`,
};

/** Whether extracts are what was imported. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'registries',
    look: async (process) =>
      tellRefusals(
        [...(await checkExtracts(importPortsOf(process)))],
        'extracts of registries are what was imported',
      ),
  },
];

export const commands: readonly SliceCommand[] = [
  {
    words: 'registry import',
    summary: 'Import an extract of a registry of companies, in the place of the former one',
    options: [
      REGISTRY,
      { name: 'file', value: 'F', required: true, help: 'NDJSON, or CSV with a header' },
      { name: 'as-of', value: 'TIME', help: 'as of when the registry has said it; absent: now' },
    ],
    example: 'registry import --registry RNE_TN --file companies.csv --as-of 2026-11-01T00:00:00Z',
    async run({ actor, open, output }, given) {
      const registry = registryIn(given.value('registry'));
      const asOf = instantIn(given.optional('as-of'));
      const bytes = await readFile(given.value('file'));
      const { companies, extractId, sha256 } = await importRegistry(importPortsOf(await open()), {
        actor,
        bytes,
        registry,
        ...(asOf !== undefined && { asOf }),
      });
      output.result(
        { companies, extract_id: extractId, registry, sha256 },
        `${registry}: ${companies} companies`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'registry list',
    summary: 'List the extracts of registries that are in force',
    options: [],
    example: 'registry list --json',
    async run({ open, output }) {
      const ports = importPortsOf(await open());
      const found = await Promise.all(REGISTRIES.map((one) => findExtract(ports, one)));
      const rows = found
        .filter((one) => one !== undefined)
        .map(({ asOf, companies, importedAt, registry, sha256 }) => ({
          as_of: new Date(asOf).toISOString(),
          companies,
          imported_at: new Date(importedAt).toISOString(),
          registry,
          sha256,
        }));
      output.result(
        { registries: rows },
        table(
          ['REGISTRY', 'COMPANIES', 'AS OF', 'IMPORTED'],
          rows.map((one) => [one.registry, String(one.companies), one.as_of, one.imported_at]),
        ),
      );
      return EXIT.done;
    },
  },
];

function registryIn(text: string): RegistryName {
  const found = REGISTRIES.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`--registry: expected one of ${REGISTRIES.join(', ')}`);
}

function instantIn(text: string | undefined): EpochMs | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isFinite(at)) return at as EpochMs;
  throw new UsageError('--as-of: expected a time of RFC 3339');
}

async function readFile(path: string): Promise<Buffer> {
  const { bytes, chunks } = await openInput(path);
  if (bytes > FILE_BYTES_MAX) {
    throw new FileFailure(`${path}: expected at most ${FILE_BYTES_MAX} bytes, got ${bytes}`);
  }
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}
