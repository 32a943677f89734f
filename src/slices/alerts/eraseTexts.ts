/**
 * What becomes of alerts about a person who is erased. An alert is the evidence of what was looked
 * at: that it was raised, how it ended and who decided stays. What people wrote of it names the
 * person in their own words, and is kept as long after its end as a law wants it; then comments
 * leave the record, and notes, comments and accounts the open parts of its entries. What is written
 * of another customer alone stays (textsOfOthers.ts).
 *
 * Which alerts those are is found once, and lies in the vault: the evidence that says so goes.
 */
import { type AuditStore, eraseOpenAbout, type OpenAbout, openAbout } from '#core/audit';
import { chainOf, DomainError, everyRecord } from '#core/kernel';
import {
  type DataSubject,
  dutyEnd,
  type ErasureOrder,
  type ErasureTerms,
  type HoldingErasure,
  type PlannedErasure,
  plannedByDuty,
} from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { isClosed, targetOf } from './alert.ts';
import type { CustomersOfPayments } from './asks.ts';
import { overwriteAlert } from './changeAlert.ts';
import type { OpenAlerts } from './openAbout.ts';
import type { AlertPorts, ComparesAlerts } from './ports.ts';
import {
  type Alert,
  type AlertOutcome,
  alertNoteTable,
  alertTable,
  type HitReview,
} from './tables.ts';
import { type IsOfOthers, textsOfOthers } from './textsOfOthers.ts';

/** What texts are erased with. */
export interface EraseTextsPorts extends AlertPorts {
  readonly audit: Pick<AuditStore, 'eraseOpen' | 'searchEvents'>;
  readonly signed: ComparesAlerts;
  readonly about: Pick<OpenAlerts, 'about'>;
  readonly customersOfPayments: CustomersOfPayments;
}

/** What lies in the vault: ids of the alerts about the person. */
interface AlertCustody {
  readonly alertIds: readonly string[];
}

/** One that is open again is looked at later. */
const AGAIN_MS = 24 * 3_600_000;

/** By the alerts of which something is left that people wrote. */
export const erasureOfTexts = (ports: EraseTextsPorts): HoldingErasure => ({
  async custody(subject, terms): Promise<AlertCustody | undefined> {
    const alertIds = await idsAbout(ports, subject, terms);
    return alertIds.length === 0 ? undefined : { alertIds };
  },
  async erase(subject, order) {
    for await (const alert of alertsOf(ports, subject, order)) {
      if (endOf(alert, order) <= order.now) {
        await eraseTexts(ports, { alert, subject }, order);
      }
    }
  },
  async plan(subject, terms) {
    const ends: EpochMs[] = [];
    let former = 0;
    for await (const alert of alertsOf(ports, subject, terms)) {
      if (await isWritten(ports, { alert, subject }, terms)) ends.push(endOf(alert, terms));
      former += await formerNotes(ports, alert);
    }
    const rows: readonly PlannedErasure[] = [
      ...plannedByDuty(ends, { kept: 'keep', now: terms.now }),
      // Rows of notes are never changed; those of former releases have the text.
      ...(former > 0 ? [{ action: 'keep', rows: former, why: 'evidence' } as const] : []),
    ];
    // Who is answered by the plan may not learn that there was an alert.
    return rows.map((row) => ({ ...row, isUntold: true }));
  },
});

async function idsAbout(
  { about }: EraseTextsPorts,
  subject: DataSubject,
  terms: Pick<ErasureTerms, 'asOf'>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { alertId } of about.about(subject, terms)) ids.push(alertId);
  return ids;
}

async function* alertsOf(
  ports: EraseTextsPorts,
  subject: DataSubject,
  terms: ErasureTerms,
): AsyncGenerator<Alert> {
  const { alertIds } = (terms.custody ?? {}) as Partial<AlertCustody>;
  for (const alertId of alertIds ?? (await idsAbout(ports, subject, terms))) {
    const { tenantId } = subject;
    const alert = await ports.tables.find(alertTable, { alertId, tenantId });
    if (alert !== undefined) yield alert;
  }
}

const endOf = (alert: Alert, terms: Pick<ErasureTerms, 'now' | 'retentionYears'>): EpochMs =>
  isClosed(alert)
    ? dutyEnd(alert.outcome?.at ?? alert.updatedAt, terms)
    : ((terms.now + AGAIN_MS) as EpochMs);

interface Written {
  readonly alert: Alert;
  readonly subject: DataSubject;
}

/** Whether words are left that go with the person, in the record or beside its entries. */
async function isWritten(
  { audit, customersOfPayments }: EraseTextsPorts,
  { alert, subject }: Written,
  { now }: Pick<ErasureTerms, 'now'>,
): Promise<boolean> {
  const isOfOthers = await textsOfOthers(customersOfPayments, alert, subject);
  if (hasWords(alert, isOfOthers)) return true;
  for await (const _ of openAbout(audit, openOf(alert, isOfOthers, now))) return true;
  return false;
}

const openOf = (alert: Alert, isOfOthers: IsOfOthers, until: EpochMs): OpenAbout => ({
  chainId: chainOf(alert.tenantId),
  isLeft: (details) => isOfOthers(textsIn(details)),
  targets: [targetOf(alert)],
  until,
});

const textsIn = (details: object): readonly string[] =>
  Object.values(details).filter((one): one is string => typeof one === 'string');

const hasWords = ({ outcome, proposal, reviews = [] }: Alert, isOfOthers: IsOfOthers): boolean =>
  [outcome?.comment, proposal?.comment, ...reviews.map(({ notes }) => notes)].some(
    (text) => text !== undefined && text !== '' && !isOfOthers([text]),
  );

async function formerNotes(
  { tables }: EraseTextsPorts,
  { alertId, tenantId }: Alert,
): Promise<number> {
  let count = 0;
  const ask = { equal: { alertId, tenantId }, index: 'byAlert' };
  for await (const { text } of everyRecord(tables, alertNoteTable, ask)) {
    if (text !== undefined) count++;
  }
  return count;
}

/** Harmless to repeat. Throws `alert-altered` where the alert is not what was signed. */
async function eraseTexts(
  ports: EraseTextsPorts,
  { alert, subject }: Written,
  { actor, now, reason }: ErasureOrder,
): Promise<void> {
  const { alertId, tenantId } = alert;
  if (!(await ports.signed.isAsSigned(alert))) throw new DomainError('alert-altered');
  const { audit: store, clock, commit, customersOfPayments, random } = ports;
  const isOfOthers = await textsOfOthers(customersOfPayments, alert, subject);
  await eraseOpenAbout(
    { audit: { commit }, clock, random, store },
    { actor, reason, ...openOf(alert, isOfOthers, now) },
  );
  if (!hasWords(alert, isOfOthers)) return;
  const unsaid = (one: AlertOutcome) => (isOfOthers([one.comment]) ? one : { ...one, comment: '' });
  await overwriteAlert(ports, { actor, alertId, tenantId }, ({ outcome, proposal, reviews }) => ({
    action: 'aml.alert.texts_erased',
    change: {
      ...(outcome && { outcome: unsaid(outcome) }),
      ...(proposal && { proposal: unsaid(proposal) }),
      ...(reviews && { reviews: reviews.map((one) => withoutNotes(one, isOfOthers)) }),
    },
  }));
}

function withoutNotes(review: HitReview, isOfOthers: IsOfOthers): HitReview {
  const { notes, ...kept } = review;
  return notes === undefined || isOfOthers([notes]) ? review : kept;
}
