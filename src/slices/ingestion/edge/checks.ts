/** Checks of lists for `doctor`: one is in force, its index as signed, and the schedules. */
import { refusalsIn, tellRefusals } from '#core/audit';
import { everyRecord } from '#core/kernel';
import {
  allSources,
  goneApprovals,
  scheduleAuditStore,
  signedSources,
  verifyScheduleAudit,
} from '#slices/ingestion';
import {
  LIST_AGE_DAYS_MAX,
  listStore,
  oldLists,
  signedInForce,
  signedVersions,
  versionTable,
} from '#slices/lists';
import type { CliProcess, SliceCheck } from '../../processes.ts';

type Stores = { readonly storage: Pick<CliProcess['storage'], 'tables'> };
type Dated = Stores & Pick<CliProcess, 'clock'>;

export const checks: readonly SliceCheck[] = [
  { look: checkLists, name: 'lists' },
  { isOfState: true, look: checkIndexes, name: 'indexes' },
  { isOfState: true, look: checkSources, name: 'sources' },
  { isOfState: true, look: checkSchedules, name: 'schedules' },
];

export async function checkLists({ clock, storage }: Dated): Promise<string> {
  const sources = await listStore(storage.tables).listSources();
  const inForce = sources.flatMap(({ sourceId, active }) =>
    active === undefined ? [] : [`${sourceId} ${active.listVersion} (${active.entityCount})`],
  );
  // No fault by itself: some publishers have nothing new for weeks.
  const old = oldLists(sources, clock.now()).map(
    ({ active, sourceId }) => `${sourceId}, released on ${active?.releaseDate}`,
  );
  const warning =
    old.length === 0 ? '' : `; WARNING: over ${LIST_AGE_DAYS_MAX} days old: ${old.join('; ')}`;
  if (inForce.length > 0) return inForce.join(', ') + warning;
  throw new Error('none is in force; import one: list import --source S --file F');
}

/** Lists in force, those whose record is gone included, and every version that was published. */
async function checkIndexes({ keyRing, storage }: CliProcess): Promise<string> {
  const { audit, tables } = storage;
  const lists = listStore(tables);
  const signed = signedVersions({ audit, keyRing });
  const inForce = await signedInForce({ audit, lists, signed });
  const published = everyRecord(tables, versionTable, { index: 'key' });
  const { refusals } = await refusalsIn(published, signed.checkPublished);
  return tellRefusals(refusals, `${inForce.length} lists in force are what was signed`);
}

/**
 * Addresses, schedules and switches, each as the entry that changed it last made it; and that the
 * approvals of lately are noted as used.
 */
export async function checkSources({
  clock,
  keyRing,
  storage,
}: Pick<CliProcess, 'clock' | 'keyRing' | 'storage'>): Promise<string> {
  const signed = signedSources({ audit: storage.audit, keyRing });
  const sources = allSources(await listStore(storage.tables).listSources());
  const { refusals } = await refusalsIn(sources, signed.check);
  const gone = await goneApprovals(storage, clock.now());
  return tellRefusals([...refusals, ...gone], `${sources.length} sources are what was signed`);
}

/** Throws at the first change that does not follow from the one before, or that nobody signed. */
export async function checkSchedules({
  keyRing,
  storage,
}: Pick<CliProcess, 'keyRing' | 'storage'>): Promise<string> {
  const signed = signedSources({ audit: storage.audit, keyRing });
  let changes = 0;
  const audits = scheduleAuditStore(storage.tables);
  for (const { sourceId } of await listStore(storage.tables).listSources()) {
    const { brokenSeq, rows } = await verifyScheduleAudit(audits, sourceId, signed);
    if (brokenSeq !== undefined) {
      const what = `change ${brokenSeq} of ${sourceId} is not what was signed`;
      throw new Error(`${what}; compare SANCTIONS_SCHEDULE_CHANGED in the evidence of platform`);
    }
    changes += rows;
  }
  return `${changes} signed changes, each from the one before`;
}
