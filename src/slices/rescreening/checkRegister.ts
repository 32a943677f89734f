/** Everything that re-screening goes by, compared with the entries that made it. */
import { entry, StaleChange } from '#core/audit';
import { chainOf, everyRecord, type TenantId } from '#core/kernel';
import { isDoubtful, nextCustomers } from './nextCustomers.ts';
import { findCoverage } from './planRuns.ts';
import type { RescreeningPorts } from './ports.ts';
import { SignedRegister } from './signedRegister.ts';
import { coverageRefusal, runRefusal } from './signedRuns.ts';
import { type Coverage, coverageTable, enrolmentTable, runTable, sightingTable } from './tables.ts';

/** What records are compared by. */
export type CheckPorts = Pick<RescreeningPorts, 'blobs' | 'entries' | 'sightings' | 'tables'>;

/** What a check has found. */
export interface CheckedRegister {
  readonly customers: number;
  readonly refusals: readonly string[];
}

/** Customers, coverage, open runs and findings of one tenant. */
export async function checkRegister(
  ports: CheckPorts,
  tenantId: TenantId,
): Promise<CheckedRegister> {
  const coverage = await findCoverage(ports, tenantId);
  const refusals = [
    ...(await refusedCoverage(ports, tenantId)),
    ...(await refusedRuns(ports, tenantId)),
    ...(await refusedEnrolments(ports, tenantId)),
  ];
  const register = new SignedRegister(ports, { coverage, tenantId });
  let customers = 0;
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const run = { lane: 'lists', tenantId } as const;
    const page = await nextCustomers(ports, { after, register, run });
    for (const next of page.customers.filter(isDoubtful)) {
      const { refusal = 'altered', subjectId } = next;
      refusals.push(`customer ${subjectId}: ${WORDS[refusal]}`);
    }
    customers += page.customers.length;
    after = page.customers.at(-1)?.subjectId ?? after;
    isLast = page.isLast;
  }
  return { customers, refusals: [...refusals, ...(await refusedSightings(ports, tenantId))] };
}

const WORDS = {
  altered: 'his row is not what its last entry made it',
  invented: 'no entry tells of him',
  missing: 'his row is gone: his last entry says that he is watched',
} as const;

async function refusedCoverage(ports: CheckPorts, tenantId: TenantId): Promise<readonly string[]> {
  const refusal = await ports.entries.settled(tenantId, async () => {
    const coverage = await findCoverage(ports, tenantId);
    const found =
      coverage === undefined
        ? await goneCoverage(ports, tenantId)
        : await coverageRefusal(ports.entries, coverage);
    return { found, isRefused: found !== undefined };
  });
  return refusal === undefined ? [] : [`coverage of ${tenantId}: ${refusal}`];
}

/** The row of a tenant's coverage comes with his first customer, and never goes. */
async function goneCoverage(
  { entries }: Pick<CheckPorts, 'entries'>,
  tenantId: TenantId,
): Promise<string | undefined> {
  const of = { action: 'SANCTIONS_MONITORING_CHANGED', fromSeq: 1 } as const;
  for await (const { seq } of entries.read(tenantId, of)) {
    return `its row is gone: the entry seq ${seq} tells of customers`;
  }
  return undefined;
}

async function refusedRuns(ports: CheckPorts, tenantId: TenantId): Promise<readonly string[]> {
  const refusals: string[] = [];
  const ask = { equal: { isOpen: true, tenantId }, index: 'open' };
  for await (const { runId } of everyRecord(ports.tables, runTable, ask)) {
    const refusal = await ports.entries.settled(tenantId, async () => {
      const run = await ports.tables.find(runTable, { runId, tenantId });
      const found = run && (await runRefusal(ports.entries, run));
      return { found, isRefused: found !== undefined };
    });
    if (refusal !== undefined) refusals.push(`run ${runId}: ${refusal}`);
  }
  return refusals;
}

/** Rows are read a page at a time, and looked at once more where one is not as it was signed. */
async function refusedSightings(ports: CheckPorts, tenantId: TenantId): Promise<readonly string[]> {
  const look = async () => {
    // What is found while rows are walked through has its row before it has its place here.
    const { count } = (await ports.sightings.of(tenantId)).told;
    const seen = new Uint8Array(count);
    const found: string[] = [];
    const rows = everyRecord(ports.tables, sightingTable, { equal: { tenantId }, index: 'key' });
    for await (const row of rows) {
      let signed = await ports.sightings.of(tenantId, { isLatest: false });
      if (signed.refuses(row)) signed = await ports.sightings.of(tenantId);
      const place = signed.told.placeOf(row.sightingId);
      if (place !== undefined && place < count) seen[place] = 1;
      if (!signed.refuses(row)) continue;
      found.push(`finding ${row.sightingId}: not what its last entry made it`);
    }
    const { told } = await ports.sightings.of(tenantId);
    for (let place = seen.indexOf(0); place >= 0; place = seen.indexOf(0, place + 1)) {
      found.push(`finding ${told.nameAt(place)}…: its row is gone`);
    }
    return { found, isRefused: found.length > 0 };
  };
  return ports.entries.settled(tenantId, look);
}

/** Batches that begin to be taken over and never end: their row is gone, or says that they have. */
async function refusedEnrolments(
  { entries, tables }: CheckPorts,
  tenantId: TenantId,
): Promise<readonly string[]> {
  return entries.settled(tenantId, async () => {
    const ended = new Map<string, string>();
    const rows = everyRecord(tables, enrolmentTable, { equal: { tenantId }, index: 'key' });
    for await (const { batchId, status } of rows) ended.set(batchId, status);
    const open = new Set<string>();
    for (const action of ENROLMENT_ACTIONS) {
      for await (const { entry: told } of entries.read(tenantId, { action, fromSeq: 1 })) {
        const batchId = String(told.target);
        if (action === 'SANCTIONS_MONITORING_TAKING') open.add(batchId);
        else open.delete(batchId);
      }
    }
    const found = [...open]
      .filter((batchId) => ended.get(batchId) !== 'running')
      .map((batchId) => `batch ${batchId}: no entry says that its subjects were all taken over`);
    return { found, isRefused: found.length > 0 };
  });
}

/** The first begins, the others end. */
const ENROLMENT_ACTIONS = [
  'SANCTIONS_MONITORING_TAKING',
  'SANCTIONS_MONITORING_TAKEN',
  'SANCTIONS_MONITORING_FAILED',
] as const;

/**
 * A tenant whose coverage was taken away has no runs any more: it is put back, as before the first
 * run, and everybody is screened whole. Answers whether it was.
 */
export async function restoreCoverage(
  ports: Pick<RescreeningPorts, 'clock' | 'commit' | 'entries' | 'random' | 'tables'>,
  tenantId: TenantId,
): Promise<boolean> {
  const gone = await ports.entries.settled(tenantId, async () => {
    const isThere = (await findCoverage(ports, tenantId)) !== undefined;
    const found = isThere ? undefined : await goneCoverage(ports, tenantId);
    return { found, isRefused: found !== undefined };
  });
  if (gone === undefined) return false;
  const first: Coverage = { lists: [], register: 'subjects', tenantId, version: 1 };
  try {
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [coverageTable.insert(first)],
      events: [
        entry(ports, {
          action: 'SANCTIONS_MONITORING_ALTERED',
          actor: 'system:rescreening',
          members: { count: 1, coverage: gone },
          severity: 'ALERT',
          target: 'monitored_subjects',
        }),
      ],
    });
    return true;
  } catch (error) {
    if (error instanceof StaleChange) return false;
    throw error;
  }
}
