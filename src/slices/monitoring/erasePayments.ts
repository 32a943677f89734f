/**
 * What becomes of a customer's payments when he is erased: each is kept as long as a law wants it,
 * and then the leaf of the key under which it lies is destroyed, and with it the secret of the body
 * in which it came. Rows, roots and proofs stay, since they have its commitment.
 *
 * Which payments those are is found once, and lies in the vault: afterwards nothing says so.
 */
import {
  type AuditStore,
  type CommitEvidence,
  type EntryContext,
  ERASED_ACTION,
  type Erasures,
  entry,
  eraseOpenOf,
  overwrite,
} from '#core/audit';
import { type DataKeys, dataKeyTable } from '#core/blobs';
import { chainOf, everyRecord, type ScreeningId, type Tables, type TenantId } from '#core/kernel';
import {
  type DataSubject,
  dutyEnd,
  type ErasureOrder,
  type ErasureTerms,
  type HoldingErasure,
  plannedByDuty,
} from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { alertIdOf, alertTable, isClosed } from '#slices/alerts';
import {
  type NumberRuns,
  numbersIn,
  numbersOf,
  type ReadableRow,
  rowsOfNumbers,
  runsOf,
} from './paymentsOfPerson.ts';
import { ingestIn, ingestTarget } from './readLog.ts';
import { depthOf } from './sealTransaction.ts';
import { requireAsSigned, type SegmentPorts } from './segmentEvidence.ts';
import { transactionFileTable, transactionLogTable, transactionMatchTable } from './tables.ts';
import { ingestKeyId } from './takeTransactions.ts';

/** What payments are erased with. */
export interface ErasePaymentsPorts extends EntryContext, SegmentPorts {
  readonly audit: SegmentPorts['audit'] & Pick<AuditStore, 'eraseOpen' | 'findByScreening'>;
  readonly commit: CommitEvidence;
  readonly dataKeys: Pick<DataKeys, 'find' | 'open' | 'without'>;
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'page'>;
}

/** What lies in the vault: the numbers of the person's payments. */
interface PaymentCustody {
  readonly runs: NumberRuns;
}

/** A file that is still taken needs its key, and an open alert its payments: for so long again. */
const AGAIN_MS = 24 * 3_600_000;
/** Matches that are asked together; mostly the first of them is left. */
const MATCHES_AT_ONCE = 100;
/** In memory at once; an entry names no more places. */
const PAYMENTS_AT_ONCE = 1_000;

/** By the payments that still can be read. */
export const erasureOfPayments = (ports: ErasePaymentsPorts): HoldingErasure => ({
  async custody(subject, terms): Promise<PaymentCustody | undefined> {
    const runs = runsOf(await numbersOfPerson(ports, subject, terms));
    return runs.length === 0 ? undefined : { runs };
  },
  async erase(subject, order) {
    for await (const rows of paymentsOf(ports, subject, order)) {
      const ends = await endsOf(ports, rows, order);
      const due = rows.filter((_, at) => (ends[at]?.end ?? order.now) <= order.now);
      await eraseFound(ports, due, order);
      const byIngest = Map.groupBy(due, ({ row }) => row.ingestId);
      for (const [ingestId, own] of byIngest) {
        await destroy(ports, ingestId, { order, rows: own });
      }
    }
  },
  async plan(subject, terms) {
    const ends: KeptPayment[] = [];
    for await (const rows of paymentsOf(ports, subject, terms)) {
      ends.push(...(await endsOf(ports, rows, terms)));
    }
    const planned = (isUntold: boolean) => {
      const some = ends.filter((one) => one.isUntold === isUntold).map(({ end }) => end);
      return plannedByDuty(some, { kept: 'keep', now: terms.now });
    };
    return [
      ...planned(false),
      ...planned(true).map((row) => ({ ...row, isUntold: true as const })),
    ];
  },
});

async function numbersOfPerson(
  ports: ErasePaymentsPorts,
  { subjectRef: customerId, tenantId }: DataSubject,
  { asOf }: Pick<ErasureTerms, 'asOf'>,
): Promise<readonly number[]> {
  return customerId === undefined ? [] : numbersOf(ports, { asOf, customerId, tenantId });
}

/** Some at a time. */
async function* paymentsOf(
  ports: ErasePaymentsPorts,
  subject: DataSubject,
  terms: ErasureTerms,
): AsyncGenerator<readonly ReadableRow[]> {
  const { runs } = (terms.custody ?? {}) as Partial<PaymentCustody>;
  const numbers = runs ? numbersIn(runs) : await numbersOfPerson(ports, subject, terms);
  for (let from = 0; from < numbers.length; from += PAYMENTS_AT_ONCE) {
    const some = numbers.slice(from, from + PAYMENTS_AT_ONCE);
    yield await rowsOfNumbers(ports, subject.tenantId, some);
  }
}

/** Until when a payment is kept, and whether that would tell of an alert. */
interface KeptPayment {
  readonly end: EpochMs;
  readonly isUntold: boolean;
}

/**
 * When each may go; in the order of the rows. What is held by an alert is so for the work alone,
 * which has custody: the plan that people see is the same without one.
 */
async function endsOf(
  { tables }: Pick<ErasePaymentsPorts, 'tables'>,
  rows: readonly ReadableRow[],
  terms: Pick<ErasureTerms, 'custody' | 'now' | 'retentionYears'>,
): Promise<readonly KeptPayment[]> {
  const open = new Set<string>();
  for (const { row } of new Map(rows.map((one) => [one.row.ingestId, one])).values()) {
    if (row.format !== 'csv_service') continue;
    const { ingestId, tenantId } = row;
    const file = await tables.find(transactionFileTable, { ingestId, tenantId });
    if (file?.status === 'queued' || file?.status === 'running') open.add(ingestId);
  }
  const isHeld = terms.custody === undefined ? undefined : await openAlertsOf(tables, rows);
  const again = (terms.now + AGAIN_MS) as EpochMs;
  return rows.map(({ row }) => {
    if (open.has(row.ingestId)) return { end: again, isUntold: false };
    const end = dutyEnd(row.receivedAt, terms);
    const isUntold = end <= terms.now && isHeld?.(row) === true;
    return { end: isUntold ? again : end, isUntold };
  });
}

/**
 * Whether a listed party of a payment has an open alert. The person is held by that of a payment
 * that names him; one that names nobody holds itself alone.
 */
async function openAlertsOf(
  tables: Pick<Tables, 'findMany'>,
  rows: readonly ReadableRow[],
): Promise<(row: ReadableRow['row']) => boolean> {
  const found = rows.flatMap(({ row }) =>
    screeningsOf(row).map((id) => [id, row.tenantId] as const),
  );
  const ids = new Map(
    found.map(([screeningId, tenantId]) => {
      const alertId = alertIdOf(tenantId, { kind: 'screening', screeningId });
      return [alertId, { screeningId, tenantId }];
    }),
  );
  const keys = [...ids].map(([alertId, { tenantId }]) => ({ alertId, tenantId }));
  const alerts = keys.length === 0 ? [] : await tables.findMany(alertTable, keys);
  const open = new Set(
    alerts.filter((one) => !isClosed(one)).map(({ alertId }) => ids.get(alertId)?.screeningId),
  );
  return (row) => screeningsOf(row).some((id) => open.has(id));
}

const screeningsOf = ({ parties = [] }: ReadableRow['row']): readonly string[] =>
  parties.flatMap(({ screeningId }) => screeningId ?? []);

/** The leaves of one ingest, in one commit with the entry that says so. */
const destroy = (
  ports: ErasePaymentsPorts,
  ingestId: string,
  { order, rows }: { readonly order: ErasureOrder; readonly rows: readonly ReadableRow[] },
): Promise<void> =>
  overwrite(async () => {
    const [first] = rows;
    if (first === undefined) return;
    const { format, tenantId } = first.row;
    // Since when they are kept decides: it has to be what was signed.
    const segments = new Map(rows.map(({ row }) => [row.segment[0], row]));
    for (const row of segments.values()) await requireAsSigned(ports, row);
    const key = await ports.dataKeys.find({ keyId: ingestKeyId(ingestId), tenantId });
    if (key === undefined) return;
    const places = rows.map(({ row }) => row.place);
    const { record } = ports.dataKeys.without(
      key,
      places.map((index) => ({ depth: depthOf(format), index })),
    );
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [dataKeyTable.put(record, key.version)],
      events: [erasedEntry(ports, { actor: order.actor, ingestId, places, reason: order.reason })],
    });
  });

/** The entry that says which places of an ingest were erased. */
const erasedEntry = (
  context: EntryContext,
  of: Pick<ErasureOrder, 'actor' | 'reason'> & {
    readonly ingestId: string;
    readonly places: readonly number[];
  },
) =>
  entry(context, {
    action: ERASED_ACTION,
    actor: of.actor,
    members: { erased_in: ingestTarget(of.ingestId), ordinals: of.places },
    open: { reason: of.reason },
    target: ingestTarget(of.ingestId),
  });

/** Places that a newer export says were erased, of an ingest that a backup has brought back. */
export interface PlacesAgain extends Pick<ErasureOrder, 'actor' | 'reason'> {
  readonly erasedIn: string;
  readonly ordinals: readonly number[];
  readonly tenantId: TenantId;
}

/**
 * The entry once more, since the restored chain has it not, and the leaves where they are back.
 * False where the ingest is gone, or its erasure on record.
 */
export function erasePlacesAgain(
  ports: ErasePaymentsPorts & { readonly erasures: Pick<Erasures, 'partsOfEach'> },
  { actor, erasedIn, ordinals, reason, tenantId }: PlacesAgain,
): Promise<boolean> {
  return overwrite(async () => {
    const ingestId = ingestIn(erasedIn);
    if (ingestId === undefined) return false;
    const ask = { equal: { ingestId, tenantId }, index: 'byIngest', limit: 1 };
    const [row] = (await ports.tables.page(transactionLogTable, ask)).records;
    if (row === undefined) return false;
    const known = await ports.erasures.partsOfEach(chainOf(tenantId), [erasedIn]);
    const places = ordinals.filter((place) => !known.get(erasedIn)?.has(place));
    if (places.length === 0) return false;
    const key = await ports.dataKeys.find({ keyId: ingestKeyId(ingestId), tenantId });
    const leaves = places.map((index) => ({ depth: depthOf(row.format), index }));
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: key
        ? [dataKeyTable.put(ports.dataKeys.without(key, leaves).record, key.version)]
        : [],
      events: [erasedEntry(ports, { actor, ingestId, places, reason })],
    });
    return true;
  });
}

/**
 * Listed parties have a screening of their own, with their names: it goes with the last payment in
 * which they were found. First of all, since nothing names it once the payments are gone.
 */
async function eraseFound(
  ports: ErasePaymentsPorts,
  due: readonly ReadableRow[],
  order: ErasureOrder,
): Promise<void> {
  const going = new Set(due.map(({ row }) => row.tseq));
  const [first] = due;
  if (first === undefined) return;
  const { tenantId } = first.row;
  const ids = new Set(due.flatMap(({ row }) => screeningsOf(row)));
  const { audit: store, clock, commit, random } = ports;
  for (const screeningId of ids) {
    const chainId = chainOf(tenantId);
    const event = await store.findByScreening(chainId, screeningId as ScreeningId);
    if (event?.open === undefined) continue;
    if (await isFoundElsewhere(ports, { going, screeningId, tenantId })) continue;
    const { actor, reason } = order;
    const ask = { actor, chainId, reason, target: screeningId };
    await eraseOpenOf({ audit: { commit }, clock, random, store }, event, ask);
  }
}

async function isFoundElsewhere(
  ports: ErasePaymentsPorts,
  of: {
    readonly going: ReadonlySet<number>;
    readonly screeningId: string;
    readonly tenantId: TenantId;
  },
): Promise<boolean> {
  const { going, screeningId, tenantId } = of;
  const ask = { equal: { screeningId, tenantId }, index: 'key' };
  let numbers: number[] = [];
  for await (const { tseq } of everyRecord(ports.tables, transactionMatchTable, ask)) {
    if (going.has(tseq)) continue;
    if (numbers.push(tseq) < MATCHES_AT_ONCE) continue;
    if ((await rowsOfNumbers(ports, tenantId, numbers)).length > 0) return true;
    numbers = [];
  }
  return (await rowsOfNumbers(ports, tenantId, numbers)).length > 0;
}
