/**
 * Hits of a screening and what people have said of them. The decisions stand in the record of the
 * alert, whose digest is in the chain: one record, one version, and the last decision closes it.
 */
import type { SealedEvent } from '#core/audit';
import {
  type Decision,
  type Hit,
  type ScreeningPlace,
  sourceOf,
  type Verdict,
} from '#slices/screening';
import { alertIdOf, isClosed, LISTED_PARTY_RULE, LISTED_TEXT_RULE } from './alert.ts';
import type { AlertPorts } from './ports.ts';
import type { AlertDraft } from './raiseAlerts.ts';
import {
  type Alert,
  alertTable,
  type ClosedStatus,
  type HitDecision,
  type HitReview,
} from './tables.ts';

const CLEAR = '"verdict":{"decision":"CLEAR"' as const satisfies `${string}"${Decision}"`;

/**
 * Whether an event is this screening's and says that nothing was found, told by its text: most do,
 * and none is parsed.
 */
export const saysClear = ({ body }: Pick<SealedEvent, 'body'>, screeningId: string): boolean =>
  body.includes(CLEAR) && body.includes(`"screening_id":"${screeningId}"`);

/** Hits that a screening asks people about: of a customer who is known, those that are new. */
export const askedHits = ({ hits, rescreened }: Verdict): readonly Hit[] =>
  rescreened === undefined
    ? hits
    : hits.filter(({ ftm_id }) => rescreened.entries.includes(ftm_id));

/** The alert of a screening; its most severe hit, then the best, leads. Undefined without a hit. */
export function draftOf(verdict: Verdict): AlertDraft | undefined {
  const { decision, isOfText, isOfTransaction, rescreened, screeningId } = verdict;
  const hits = askedHits(verdict);
  const [best] = hits.toSorted(
    (one, other) =>
      Number(other.typology === decision) - Number(one.typology === decision) ||
      other.directScore - one.directScore,
  );
  if (best === undefined) return undefined;
  return {
    cause: { kind: 'screening', screeningId },
    hitsTotal: hits.length,
    score: best.directScore,
    source: sourceOf(best),
    type: rescreened === undefined ? (isOfTransaction ? 'monitoring' : 'screening') : 'list_change',
    ...(isOfTransaction && { ruleId: isOfText ? LISTED_TEXT_RULE : LISTED_PARTY_RULE }),
    typology: rescreened === undefined ? decision : (best.typology ?? decision),
  };
}

/** The alert that a screening has raised; undefined where it has none, or none yet. */
export function alertOfScreening(
  { tables }: Pick<AlertPorts, 'tables'>,
  { screeningId, tenantId }: ScreeningPlace,
): Promise<Alert | undefined> {
  const alertId = alertIdOf(tenantId, { kind: 'screening', screeningId });
  return tables.find(alertTable, { alertId, tenantId });
}

/** What one hit has come to. */
export interface HitState extends HitReview {
  /** Its alert was closed as a whole, and this hit with it. */
  readonly isOfAlert: boolean;
}

/** What a closed alert says of the hits that nobody decided apart. */
export const DECISION_OF: Readonly<Record<ClosedStatus, HitDecision>> = {
  closed_false_positive: 'false_positive',
  closed_true_positive: 'true_positive',
};

/** Whether nobody has to decide it any more. */
export const isDecided = ({ status }: Pick<HitReview, 'status'>): boolean =>
  status === 'true_positive' || status === 'false_positive';

/** Where a hit stands in this alert; without an alert it is pending. */
export function hitState(
  alert: Pick<Alert, 'outcome' | 'reviews' | 'status'> | undefined,
  ftmId: string,
): HitState {
  const review = alert?.reviews?.find((one) => one.ftmId === ftmId);
  const pending: HitReview = { ftmId, status: 'pending', version: 0 };
  const own = { ...(review ?? pending), isOfAlert: false };
  const outcome = alert?.outcome;
  if (outcome === undefined || alert === undefined || !isClosed(alert) || isDecided(own)) {
    return own;
  }
  const { at, by, comment, confirmedBy, reasonCode } = outcome;
  return {
    at,
    by,
    ftmId,
    isOfAlert: true,
    notes: comment,
    status: DECISION_OF[outcome.status],
    version: own.version,
    ...(confirmedBy !== undefined && { confirmedBy }),
    ...(reasonCode !== undefined && { reasonCode }),
  };
}

/** Ids of the entries of a screening's hits, each once. */
export const entriesOf = (hits: readonly Pick<Hit, 'ftm_id'>[]): readonly string[] => [
  ...new Set(hits.map(({ ftm_id }) => ftm_id)),
];

/** Reviews as they are once an alert is opened again: all are pending, and none as it was read. */
export const pendingAgain = (reviews: readonly HitReview[]): readonly HitReview[] =>
  reviews.map(({ ftmId, version }) => ({ ftmId, status: 'pending', version: version + 1 }));
