/**
 * A worker that kills itself with -9 at a given point of a run: a stage that it has just entered,
 * or right before or after the commit that publishes.
 */

import { versionTable } from '#slices/lists';
import { startListRunner } from '../../../src/slices/ingestion/edge/jobs.ts';
import { openAt } from './listPublisher.ts';
import { openRuns } from './runParts.ts';

const { DATA_DIR = '', DIE_AT = '' } = process.env;
const die = (): void => void process.kill(process.pid, 'SIGKILL');
const log = { debug() {}, error: print, info() {}, isDebug: () => false, warn: print };
function print(fields: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
}

const installation = await openAt(DATA_DIR, 'worker');
const ports = openRuns(installation);
/** What a stage begins with. */
const dieFirst =
  <Of extends readonly unknown[], Answer>(stage: string, call: (...of: Of) => Answer) =>
  (...of: Of): Answer => {
    if (stage === DIE_AT) die();
    return call(...of);
  };
/** A claim shows in the run with its first save. */
const renew: typeof ports.tables.renew = async (table, ask) => {
  const isRenewed = await ports.tables.renew(table, ask);
  if (isRenewed && DIE_AT === 'claim') die();
  return isRenewed;
};
const claim: typeof ports.tables.claim = async (table, ask) => {
  const claimed = await ports.tables.claim(table, ask);
  if (claimed !== undefined && DIE_AT === 'take') die();
  return claimed;
};
const commit: typeof ports.commit = async (chainId, changes) => {
  const isPublication = changes.changes.some(({ table }) => table === versionTable.name);
  if (isPublication && DIE_AT === 'before-commit') die();
  const committed = await ports.commit(chainId, changes);
  if (isPublication && DIE_AT === 'after-commit') die();
  // It was to die, and did not.
  if (isPublication) process.exit(3);
  return committed;
};
const { blobs, lists } = ports.imports;
startListRunner({
  holder: installation.holder,
  isGone: () => false,
  log,
  pollMs: 20,
  ports: {
    ...ports,
    commit,
    fetcher: { fetch: dieFirst('fetch', (ask) => ports.fetcher.fetch(ask)) },
    imports: {
      ...ports.imports,
      blobs: {
        get: (address) => blobs.get(address),
        getShared: (address) => blobs.getShared(address),
        open: dieFirst('verify', (address) => blobs.open(address)),
        openRanges: (address) => blobs.openRanges(address),
        put: dieFirst('bundle', (bytes) => blobs.put(bytes)),
      },
      commit,
      inspectSnapshot: dieFirst('index', ports.imports.inspectSnapshot),
      lists: {
        ...lists,
        findSource: dieFirst('read', (sourceId) => lists.findSource(sourceId)),
        listVersions: dieFirst('compare', (page) => lists.listVersions(page)),
      },
    },
    tables: { ...ports.tables, claim, renew },
  },
});
