/** An import into a real installation, of invented entities, several of which fill a run. */
import { loadConfig } from '#platform/config';
import { type ImportPorts, importList, type ListReader } from '#slices/ingestion';
import { type OpenInstallation, openInstallation } from '../../../src/app/installation.ts';
import { listEntity, towards } from '../lists/listEntity.ts';
import { importPorts } from './runParts.ts';

const ENTITIES = { delta: 20, full: 400 };

/** `full` has all entities; `delta` a few that differ, kept as a delta. */
export type FileKind = keyof typeof ENTITIES;

/** A file is the alias that every entity of it has, and nothing else. */
const readerOf = (kind: FileKind): ListReader => ({
  format: 'test',
  read: async (chunks, { sink }) => {
    let alias = '';
    for await (const chunk of chunks) alias += Buffer.from(chunk).toString();
    for (let index = ENTITIES[kind]; index > 0; index--) {
      const id = `e${String(index).padStart(4, '0')}`;
      sink.entity(listEntity(id, { akas: [alias], associations: [towards('e0001')] }));
      if (index % 50 === 0) await sink.ready?.();
    }
    return { kind, notes: {}, releaseDate: '2026-01-01', skipped: [] };
  },
});

export const open = (dataDir: string): Promise<OpenInstallation> =>
  openInstallation({
    config: loadConfig({ DATA_DIR: dataDir }),
    onWarning: () => undefined,
    processName: 'test',
  });

export function importAlias(
  installation: OpenInstallation,
  alias: string,
  options: { kind?: FileKind; wrap?: (ports: ImportPorts) => ImportPorts } = {},
) {
  const { kind = 'full', wrap = (ports: ImportPorts) => ports } = options;
  return importList({
    actor: 'cli:test',
    ports: wrap({ ...importPorts(installation), deltaFromEntities: 1, spoolRunBytes: 20_000 }),
    read: (async function* () {
      yield Buffer.from(alias);
    })(),
    reader: readerOf(kind),
    sourceId: 'DEMO',
  });
}
