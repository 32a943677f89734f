/**
 * An approved erasure is carried out as leased work: who the person is goes into the vault first,
 * then each slice erases what is due, then the plan is made once more and must have nothing left
 * to delete, and only then does its receipt stand. Each step is harmless to repeat, so a worker
 * that dies at any point costs nothing but time. Where a duty keeps something, the same work is due
 * again at its end.
 *
 * What needs the person whole is looked for before each slice erases: an open request, a match that
 * nobody has decided, an investigation, a report, a legal hold. The work waits then and goes on by
 * itself. The request was answered at its approval, so nothing that people see of it says that the
 * work waits, or why.
 */
import { ERASER, entry } from '#core/audit';
import { chainOf, DomainError, everyRecord } from '#core/kernel';
import type { DataSubject, ErasureOrder, Holding } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { endErasure } from './endErasure.ts';
import type { ErasePorts, ErasureHold } from './erasePorts.ts';
import { custodyOf, isTold, planRows, subjectOf } from './erasurePlan.ts';
import { type ErasureWork, erasureWorkTable } from './erasureTables.ts';
import { newVault, readVault, type VaultContent, vaultTarget } from './identityVault.ts';
import { HELD_BACK_MS } from './limits.ts';
import { type PlannedRow, type PrivacyRequest, privacyRequestTable } from './tables.ts';

/** Where the work may be cut off; for tests that do so. */
export type Reached = (point: string) => Promise<void> | void;

/** How an erasure is carried out. */
export interface RunOptions {
  /** It was done before, and a backup has brought the person back: nothing holds it any more. */
  readonly isRepeated?: boolean;
}

/** One step: the row has ended or was given back when it resolves. */
export async function carryOutErasure(
  ports: ErasePorts,
  hold: ErasureHold,
  reached: Reached = () => undefined,
  { isRepeated = false }: RunOptions = {},
): Promise<void> {
  const { record } = hold;
  const holdings = await ports.holdings();
  const content = await contentOf(ports, hold, holdings);
  await reached('vaulted');
  const { asOf, retentionYears } = content.terms;
  const subject: DataSubject = {
    ...content.subject,
    pseudonym: record.pseudonym,
    tenantId: record.tenantId,
  };
  const order: ErasureOrder = {
    actor: ERASER,
    asOf,
    now: ports.clock.now(),
    pseudonym: record.pseudonym,
    reason: `privacy request ${record.requestId}`,
    retentionYears,
  };
  for (const { erasure, store } of holdings) {
    if (erasure === undefined) continue;
    hold.signal.throwIfAborted();
    if (!isRepeated && (await isHeldBack(ports, record, { holdings, subject }))) {
      const dueAt = (ports.clock.now() + HELD_BACK_MS) as EpochMs;
      await hold.giveBack({ isTried: false, work: { dueAt } });
      return;
    }
    await erasure.erase(subject, { ...order, ...custodyOf(content.custody, store) });
    await reached(store);
  }
  const rows = await planRows(holdings, subject, order, content.custody);
  requireNothingLeft(rows);
  hold.signal.throwIfAborted();
  await endErasure(ports, hold, { again: firstEnd(rows), told: firstEnd(rows.filter(isTold)) });
}

/** The first end of a duty; undefined where nothing is kept until a day. */
function firstEnd(rows: readonly PlannedRow[]): EpochMs | undefined {
  const ends = rows.flatMap(({ until }) => until ?? []);
  return ends.length === 0 ? undefined : (Math.min(...ends) as EpochMs);
}

/** Throws `privacy-erasure-incomplete`: a slice has not done what it planned. */
function requireNothingLeft(rows: readonly PlannedRow[]): void {
  const left = rows.filter(({ action, rows: count }) => action === 'delete' && count > 0);
  if (left.length === 0) return;
  const detail = `expected nothing left to erase, got ${left.map(
    ({ rows: count, store }) => `${count} of ${store}`,
  )}`;
  throw new DomainError('privacy-erasure-incomplete', { detail });
}

async function contentOf(
  ports: ErasePorts,
  hold: ErasureHold,
  holdings: readonly Holding[],
): Promise<VaultContent> {
  const found = await readVault(ports, hold.record);
  return found?.content ?? fillVault(ports, hold, holdings);
}

/** Names and keys are safe before anything is taken from its place. */
async function fillVault(
  ports: ErasePorts,
  hold: ErasureHold,
  holdings: readonly Holding[],
): Promise<VaultContent> {
  const { pseudonym, requestId, tenantId } = hold.record;
  const request = await ports.signed.requireRequest(hold.record);
  const { erasure, plan } = request;
  if (erasure?.pseudonym !== pseudonym || plan === undefined) {
    const detail = `erasure of request ${requestId}: it is not what was approved`;
    throw new DomainError('state-altered', { detail });
  }
  const { tenantId: _, ...subject } = await subjectOf(holdings, request);
  const custody: Record<string, object> = {};
  for (const one of holdings) {
    const held = await one.erasure?.custody?.({ ...subject, tenantId }, { asOf: erasure.asOf });
    if (held !== undefined) custody[one.store] = held;
  }
  const terms = { asOf: erasure.asOf, retentionYears: plan.retentionYears };
  const content: VaultContent = { custody, subject, terms };
  const vault = await newVault(ports, { pseudonym, requestId, tenantId }, content);
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [hold.expected, ...vault],
    events: [
      entry(ports, {
        action: 'privacy.identity.vaulted',
        actor: ERASER,
        members: { request_id: requestId },
        target: vaultTarget({ pseudonym }),
      }),
    ],
  });
  return content;
}

/** Whether something needs what would be erased. */
async function isHeldBack(
  ports: Pick<ErasePorts, 'tables'>,
  of: Pick<ErasureWork, 'requestId' | 'tenantId'>,
  { holdings, subject }: { readonly holdings: readonly Holding[]; readonly subject: DataSubject },
): Promise<boolean> {
  return (await isNeeded(holdings, subject)) || isAskedFor(ports, of, subject);
}

/** Whether some slice needs all that is held of the person. */
export async function isNeeded(
  holdings: readonly Holding[],
  subject: DataSubject,
): Promise<boolean> {
  for (const one of holdings) {
    if ((await one.holds?.(subject)) === true) return true;
  }
  return false;
}

/** Another request about the person that is not answered yet. */
async function isAskedFor(
  { tables }: Pick<ErasePorts, 'tables'>,
  { requestId, tenantId }: Pick<ErasureWork, 'requestId' | 'tenantId'>,
  { subjectRef }: DataSubject,
): Promise<boolean> {
  if (subjectRef === undefined) return false;
  const ask = { equal: { subjectRef, tenantId }, index: 'byRef' };
  for await (const one of everyRecord(tables, privacyRequestTable, ask)) {
    if (one.requestId !== requestId && isWaiting(one)) return true;
  }
  return false;
}

/** An erasure that is itself carried out waits for no other one. */
const isWaiting = ({ endedAt, erasure }: PrivacyRequest): boolean =>
  endedAt === undefined && erasure === undefined;

/** The row of an approved erasure. Throws `privacy-request-state`. */
export async function requireErasure(
  { tables }: Pick<ErasePorts, 'tables'>,
  place: Pick<ErasureWork, 'requestId' | 'tenantId'>,
): Promise<ErasureWork> {
  const found = await tables.find(erasureWorkTable, place);
  if (found !== undefined) return found;
  const detail = 'no erasure was approved by this request';
  throw new DomainError('privacy-request-state', { detail });
}
