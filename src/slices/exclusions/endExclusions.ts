/**
 * Exclusions end by themselves: when their time is over, and when a list publishes other data that
 * identify the entry. After each publication all exclusions of the list are compared; until then,
 * none of them holds on the new version (`checked` of their set), so that no hit is hidden in
 * between.
 */
import { overwrite } from '#core/audit';
import { everyRecord, type TenantId } from '#core/kernel';
import { listedIn } from './addExclusion.ts';
import { entityDigest } from './entityDigest.ts';
import { exclusionDigest } from './exclusion.ts';
import type { ExclusionPorts } from './ports.ts';
import { commitStep, stepOf } from './stepOf.ts';
import { type ExclusionRecord, exclusionTable } from './tables.ts';

/** Exclusions of one commit, well below what one may change. */
const PER_COMMIT_MAX = 200;
/** Entries that are read at once. */
const ENTRIES_READ_MAX = 500;

const systemOf = (tenantId: TenantId) => ({
  actor: 'system:exclusions' as const,
  isPerson: false,
  tenantId,
});

/** Ends those whose time is over; answers how many. */
export async function expireExclusions(ports: ExclusionPorts): Promise<number> {
  const now = ports.clock.now();
  const { records } = await ports.tables.page(exclusionTable, {
    equal: { isOpen: true },
    index: 'due',
    limit: 1_000,
    to: now + 1,
  });
  let count = 0;
  for (const [tenantId, due] of Map.groupBy(records, (record) => record.tenantId)) {
    const { digests } = await ports.signed.of(tenantId);
    const signed = due.filter((one) => digests.get(one.exclusionId) === exclusionDigest(one));
    for (let from = 0; from < signed.length; from += PER_COMMIT_MAX) {
      const some = signed.slice(from, from + PER_COMMIT_MAX);
      const step = await stepOf(ports, {
        action: 'SANCTIONS_EXCLUSION_EXPIRED',
        by: systemOf(tenantId),
        steps: some.map((before) => ({
          after: { ...before, endedAt: now, state: 'expired', version: before.version + 1 },
          before,
        })),
      });
      count += (await commitStep(ports, tenantId, step)).length;
    }
  }
  return count;
}

/** What one look came to. */
export interface ExclusionsChecked {
  readonly lists: number;
  readonly ended: number;
}

/**
 * Compares the exclusions of a tenant with the lists in force, where they were not yet. Harmless to
 * repeat.
 */
export async function checkLists(
  ports: ExclusionPorts,
  tenantId: TenantId,
): Promise<ExclusionsChecked> {
  const open = await openOf(ports, tenantId);
  let lists = 0;
  let ended = 0;
  for (const source of new Set(open.map((record) => record.source))) {
    const found = await overwrite(() => checkList(ports, tenantId, source));
    if (found === undefined) continue;
    lists += 1;
    ended += found;
  }
  return { ended, lists };
}

/** Undefined where it was compared already, or no version of it is in force. */
async function checkList(
  ports: ExclusionPorts,
  tenantId: TenantId,
  source: string,
): Promise<number | undefined> {
  const version = await ports.inForce(source);
  if (version === undefined) return undefined;
  const { checked } = await ports.signed.of(tenantId);
  if (checked[source]?.at(-1) === version.contentDigest) return undefined;
  const open = (await openOf(ports, tenantId)).filter((record) => record.source === source);
  const changed = await changedOf(ports, tenantId, { open, version });
  const endedAt = ports.clock.now();
  const ends = changed.map((before) => ({
    after: {
      ...before,
      endedAt,
      state: 'ended_on_change' as const,
      version: before.version + 1,
    },
    before,
  }));
  // The list counts as compared with the last of them alone.
  for (let from = 0; from + PER_COMMIT_MAX < ends.length; from += PER_COMMIT_MAX) {
    const step = await stepOf(ports, {
      action: 'SANCTIONS_EXCLUSION_ENDED',
      by: systemOf(tenantId),
      members: membersOf(version),
      steps: ends.slice(from, from + PER_COMMIT_MAX),
    });
    await commitStep(ports, tenantId, step);
  }
  const rest = ends.slice(
    Math.floor(Math.max(0, ends.length - 1) / PER_COMMIT_MAX) * PER_COMMIT_MAX,
  );
  const step = await stepOf(ports, {
    action: rest.length > 0 ? 'SANCTIONS_EXCLUSION_ENDED' : 'SANCTIONS_EXCLUSIONS_CHECKED',
    by: systemOf(tenantId),
    checked: { [source]: version.contentDigest },
    members: { ...membersOf(version), compared: open.length },
    steps: rest,
  });
  await commitStep(ports, tenantId, step);
  return ends.length;
}

const membersOf = ({
  contentDigest,
  listVersion,
  sourceId,
}: NonNullable<Awaited<ReturnType<ExclusionPorts['inForce']>>>) => ({
  content_digest: contentDigest,
  list_version: listVersion,
  source: sourceId,
});

/** Those whose entry is another one now, or gone. */
async function changedOf(
  ports: ExclusionPorts,
  tenantId: TenantId,
  of: {
    readonly open: readonly ExclusionRecord[];
    readonly version: NonNullable<Awaited<ReturnType<ExclusionPorts['inForce']>>>;
  },
): Promise<readonly ExclusionRecord[]> {
  const { open, version } = of;
  const changed: ExclusionRecord[] = [];
  for (let from = 0; from < open.length; from += ENTRIES_READ_MAX) {
    const some = open.slice(from, from + ENTRIES_READ_MAX);
    const asked = some.map(({ ftmId }) => ({ ...listedIn(version), id: ftmId }));
    const entities = await ports.entitiesOf(asked, { turn: tenantId });
    changed.push(
      ...some.filter((record, place) => {
        const entity = entities[place];
        return entity === undefined || entityDigest(entity) !== record.entityDigest;
      }),
    );
  }
  return changed;
}

/** Those that are what was signed. */
async function openOf(
  ports: ExclusionPorts,
  tenantId: TenantId,
): Promise<readonly ExclusionRecord[]> {
  const found: ExclusionRecord[] = [];
  for (const state of ['proposed', 'active']) {
    const walk = { equal: { state, tenantId }, index: 'byState' };
    for await (const record of everyRecord(ports.tables, exclusionTable, walk)) found.push(record);
  }
  const { digests } = await ports.signed.of(tenantId);
  return found.filter((one) => digests.get(one.exclusionId) === exclusionDigest(one));
}
