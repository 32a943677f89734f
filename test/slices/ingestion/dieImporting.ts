/** Dies by SIGKILL at one step of an import: `dieImporting.ts DATA_DIR STEP KIND`. */
import type { ImportPorts } from '#slices/ingestion';
import { type FileKind, importAlias, open } from './realImport.ts';

const [, , dataDir = '', step = '', kind = 'full'] = process.argv;
const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('still alive');
};

/** Dies after `count` pieces. */
async function* dyingAfter<Item>(items: AsyncIterable<Item>, count: number) {
  let seen = 0;
  for await (const item of items) {
    if (++seen > count) die();
    yield item;
  }
  die();
}

const wraps: Readonly<Record<string, (ports: ImportPorts) => ImportPorts>> = {
  'while the bundle is written': (ports) => ({
    ...ports,
    blobs: {
      ...ports.blobs,
      put: (bytes) => ports.blobs.put(bytes instanceof Uint8Array ? bytes : dyingAfter(bytes, 1)),
    },
  }),
  'while the bundle is read again': (ports) => ({
    ...ports,
    buildOverlay: die,
    buildSnapshot: (batches) => ports.buildSnapshot(dyingAfter(batches, 0)),
  }),
  'while the index is written': (ports) => ({
    ...ports,
    blobs: {
      ...ports.blobs,
      put: async (bytes) => {
        if (!(bytes instanceof Uint8Array)) return ports.blobs.put(bytes);
        async function* pieces(whole: Uint8Array) {
          yield whole.subarray(0, 1_000);
          die();
        }
        return ports.blobs.put(pieces(bytes));
      },
    },
  }),
  'before the commit': (ports) => ({ ...ports, commit: async () => die() }),
  'after the commit': (ports) => ({
    ...ports,
    commit: async (chain, commit) => {
      await ports.commit(chain, commit);
      die();
    },
  }),
  'while the file is read': (ports) => ({
    ...ports,
    lists: { ...ports.lists, listVersions: async () => die() },
  }),
};

const wrap = wraps[step];
if (!wrap) throw new Error(`no such step: ${step}`);
await importAlias(await open(dataDir), step, { kind: kind as FileKind, wrap });
