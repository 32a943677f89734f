/**
 * A person's decision about one hit of a screening. Where a second person has to agree, the first
 * one's is a proposal, and the same decision of another registered person confirms it; another
 * decision is a proposal of theirs instead. The last decision closes the alert, in the same commit.
 */
import { DomainError } from '#core/kernel';
import type { AddExclusion, ExclusionStep } from '#slices/exclusions';
import {
  type Hit,
  type ScreenedPorts,
  type ScreeningPlace,
  signedVerdict,
  sourceOf,
} from '#slices/screening';
import {
  type AlertAsk,
  changeAlert,
  requireDesk,
  requireInWork,
  requireSupervisor,
  type Step,
  type Worker,
  workerOf,
} from './changeAlert.ts';
import { closing, needsSecond, requireRegistered, requireWords, STATUS_OF } from './closeAlert.ts';
import {
  alertOfScreening,
  askedHits,
  draftOf,
  entriesOf,
  type HitState,
  hitState,
  isDecided,
} from './hitReviews.ts';
import type { AlertDeskPorts, HitExclusions } from './ports.ts';
import { draftedAlert, raiseAlert } from './raiseAlerts.ts';
import type { AlertSettings } from './settings.ts';
import type { Alert, HitDecision, HitReview, ReasonCode } from './tables.ts';

/** What a person says of a hit. */
export interface DecideHit extends Omit<AlertAsk, 'alertId' | 'isExpected'>, ScreeningPlace {
  readonly ftmId: string;
  readonly decision: HitDecision;
  readonly reasonCode?: ReasonCode;
  readonly notes?: string;
  /** From now on the subject is not this entry: of a false positive, by a supervisor. */
  readonly exclude?: Pick<AddExclusion, 'expiresAt' | 'subjectRef'>;
  /** Whether the caller means this version of the hit; absent: one that is not decided. */
  readonly isExpected?: (version: number) => boolean;
}

/**
 * The alert with the hit decided. A screening whose alert is not raised, or not yet, has it raised
 * first. Throws `not-found`, `state-conflict`, `precondition-failed`, `not-assignee`,
 * `role-insufficient`, `person-required`, `second-person-required`, `comment-required`,
 * `comment-too-short`, `body-invalid`, and with `exclude` as `addExclusion` does.
 */
export async function decideHit(
  ports: AlertDeskPorts & ScreenedPorts & { readonly exclusions: HitExclusions },
  { isExpected, ...ask }: DecideHit,
): Promise<Alert> {
  const verdict = await signedVerdict(ports, ask);
  const hits = verdict.hits.filter(({ ftm_id }) => ftm_id === ask.ftmId);
  const [hit] = hits;
  const draft = draftOf(verdict);
  if (hit === undefined || draft === undefined) throw new DomainError('not-found');
  const settings = await ports.settingsOf(ask.tenantId);
  const known = await alertOfScreening(ports, ask);
  const entries = entriesOf(askedHits(verdict));
  const decide = async (alert: Alert, worker: Worker): Promise<Step> => {
    requireInWork(alert);
    requireDesk(alert, worker);
    const state = hitState(alert, ask.ftmId);
    if (isExpected?.(state.version) === false) throw new DomainError('precondition-failed');
    if (isExpected === undefined && isDecided(state)) {
      const detail = 'the hit is decided already: name the version in If-Match to decide it anew';
      throw new DomainError('state-conflict', { detail });
    }
    const of = { alert, ask, hits, now: ports.clock.now(), settings, state, worker };
    const { alongside, exclusionIds } = await excluding(ports.exclusions, of, reviewOf(of));
    const review = {
      ...reviewOf(of),
      ...(exclusionIds.length > 0 && { exclusionIds }),
    };
    const step = stepOf(of, withReview(alert, review), entries);
    return alongside === undefined ? step : { ...step, alongside };
  };
  const { tenantId } = ask;
  if (known === undefined) {
    // What is refused raises nothing.
    const worker = await workerOf(ports, ask.principal);
    await decide(draftedAlert(ports, { draft, settings, tenantId }), worker);
  }
  const alertId = known?.alertId ?? (await raiseAlert(ports, tenantId, draft));
  return changeAlert(ports, { ...ask, alertId }, decide);
}

/**
 * What becomes of exclusions: a false positive adds or approves them, and anything else revokes
 * those that an earlier decision asked for.
 */
async function excluding(
  exclusions: HitExclusions,
  { ask, state, worker }: Deciding,
  review: HitReview,
): Promise<{ readonly alongside?: ExclusionStep; readonly exclusionIds: readonly string[] }> {
  const { exclude, notes = '', reasonCode, tenantId } = ask;
  const by = {
    actor: worker.actor,
    isPerson: worker.person !== undefined,
    tenantId,
    ...(ask.ip !== undefined && { ip: ask.ip }),
  };
  const open = await exclusions.open(tenantId, state.exclusionIds ?? []);
  const ids = open.map(({ exclusionId }) => exclusionId);
  if (ask.decision !== 'false_positive') {
    if (exclude !== undefined) throw new DomainError('body-invalid', { violations: [NOT_WITH] });
    if (ids.length === 0) return { exclusionIds: [] };
    return { alongside: await exclusions.revoking({ by, exclusionIds: ids }), exclusionIds: [] };
  }
  if (ids.length > 0) {
    const proposed = open.filter((one) => one.state === 'proposed');
    const isAgreed = isDecided(review) && review.confirmedBy === worker.actor;
    if (proposed.length === 0 || !isAgreed) return { exclusionIds: ids };
    const exclusionIds = proposed.map(({ exclusionId }) => exclusionId);
    return { alongside: await exclusions.approving({ by, exclusionIds }), exclusionIds: ids };
  }
  if (exclude === undefined) return { exclusionIds: [] };
  requireSupervisor(worker);
  const alongside = await exclusions.adding({
    ...exclude,
    by,
    ftmId: ask.ftmId,
    reason: notes,
    reasonCode: reasonCode ?? review.reasonCode ?? 'other',
    screeningId: ask.screeningId,
  });
  return { alongside, exclusionIds: alongside.records.map(({ exclusionId }) => exclusionId) };
}

const NOT_WITH = {
  code: 'format',
  detail: 'expected none with a true positive',
  pointer: '/exclude',
};

interface Deciding {
  readonly alert: Alert;
  readonly ask: Omit<DecideHit, 'isExpected'>;
  readonly hits: readonly Hit[];
  readonly settings: AlertSettings;
  readonly state: HitState;
  readonly worker: Worker;
  readonly now: Alert['createdAt'];
}

function reviewOf({ alert, ask, hits, now, settings, state, worker }: Deciding): HitReview {
  const { decision, ftmId, notes = '', reasonCode } = ask;
  const version = state.version + 1;
  const said: HitReview = {
    at: now,
    by: worker.actor,
    ftmId,
    notes,
    status: decision,
    version,
    ...(reasonCode !== undefined && { reasonCode }),
  };
  // The most severe of its places on lists counts.
  const isForTwo = hits.some(({ typology }) =>
    needsSecond(
      settings,
      { severity: alert.severity, type: alert.type, typology: typology ?? alert.typology },
      STATUS_OF[decision],
    ),
  );
  if (!isForTwo) {
    if (decision === 'true_positive') requireSupervisor(worker);
    requireWords({ comment: notes, reasonCode, status: STATUS_OF[decision] });
    return said;
  }
  requireRegistered(worker);
  const isProposed = state.status.startsWith('proposed_');
  if (isProposed && state.by !== worker.actor) requireSupervisor(worker);
  if (state.status !== `proposed_${decision}`) {
    requireWords({ comment: notes, reasonCode, status: STATUS_OF[decision] });
    return { ...said, status: `proposed_${decision}` };
  }
  if (state.by === worker.actor) throw new DomainError('second-person-required');
  const { isOfAlert: _, ...proposed } = state;
  return { ...proposed, confirmedBy: worker.actor, status: decision, version };
}

const withReview = ({ reviews = [] }: Alert, review: HitReview) => ({
  review,
  reviews: [...reviews.filter(({ ftmId }) => ftmId !== review.ftmId), review],
});

function stepOf(
  { alert, ask, hits, now, worker }: Deciding,
  { review, reviews }: ReturnType<typeof withReview>,
  entries: readonly string[],
): Step {
  const [hit] = hits;
  const decided: Step = {
    action: isDecided(review) ? 'aml.alert.hit_decided' : 'aml.alert.hit_proposed',
    change: { reviews },
    members: {
      confirmed_by: review.confirmedBy ?? null,
      ftm_id: ask.ftmId,
      hit_status: review.status,
      hit_version: review.version,
      proposed_by: review.by ?? null,
      reason_code: review.reasonCode ?? null,
      screening_id: ask.screeningId,
      source: hit === undefined ? '' : sourceOf(hit),
    },
    open: { notes: ask.notes ?? '' },
  };
  const of = { ...alert, reviews };
  if (!entries.every((ftmId) => isDecided(hitState(of, ftmId)))) return decided;
  const isMatch = reviews.some(({ status }) => status === 'true_positive');
  const { confirmedBy, notes = '', reasonCode } = review;
  const outcome = {
    at: now,
    by: review.by ?? worker.actor,
    comment: notes,
    status: isMatch ? ('closed_true_positive' as const) : ('closed_false_positive' as const),
    ...(confirmedBy !== undefined && { confirmedBy }),
    ...(reasonCode !== undefined && !isMatch && { reasonCode }),
  };
  const closed = closing(alert, outcome, now);
  return { ...closed, before: decided, change: { ...decided.change, ...closed.change } };
}
