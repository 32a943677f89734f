/**
 * What a person does with an alert. A decision takes a reason and words, so that no single key closes
 * one; Ctrl and Enter send it from the comment, and the next alert of the list follows.
 */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { change } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useKeys } from '../keys.ts';
import { nextInQueue } from '../queue.ts';
import { go, routeTo } from '../router.ts';
import { may, useCaller } from '../session.ts';
import type { Alert, AlertDetail, ReviewedHit } from '../types.ts';
import { useAttempt } from './attempt.tsx';
import type { Decided } from './bulkDecision.tsx';
import { CommentDialog } from './commentDialog.tsx';
import { Choice, TextField } from './fields.tsx';
import { REASONS, suggestedReason } from './reasons.ts';
import { useToast } from './toast.tsx';

type Answers = Decided & {
  readonly data: readonly { readonly code: string | null; readonly detail: string | null }[];
};

interface ActionsProps {
  readonly alert: AlertDetail;
  readonly hit: ReviewedHit | undefined;
  readonly onChanged: () => void;
}

const pathOf = ({ alert_id }: Pick<Alert, 'alert_id'>, verb: string): string =>
  `/v1/aml/alerts/${alert_id}/${verb}`;

export function AlertActions(of: ActionsProps): JSX.Element | null {
  const caller = useCaller();
  const { alert } = of;
  const isClosed = alert.status.startsWith('closed');
  if (!may(caller, 'workOnAlerts') || isClosed || alert.fault !== null) return null;
  return alert.proposal === null ? <Decide {...of} /> : <SecondPerson {...of} />;
}

function Decide({ alert, hit, onChanged }: ActionsProps): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const [decision, setDecision] = useState('');
  const [chosen, setReason] = useState<string>();
  const [comment, setComment] = useState('');
  const [isExcluded, setExcluded] = useState(false);
  const { attempt, failure, isBusy } = useAttempt();
  const form = useRef<HTMLFormElement>(null);
  const isFalse = decision === 'false_positive';
  const reason = chosen ?? suggestedReason(hit);
  const mayExclude =
    may(caller, 'exclude') && hit !== undefined && alert.subject.kind === 'screening';

  const choose = (one: string): void => {
    setDecision(one);
    form.current?.querySelector('textarea')?.focus();
  };
  useKeys({ f: () => choose('false_positive'), t: () => choose('true_positive') });

  const submit = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      const sent = { alerts: [{ alert_id: alert.alert_id, version: alert.revision }], comment };
      const reasoned = { ...sent, decision, ...(isFalse && { reason_code: reason }) };
      const { data } = await change<Answers>('POST', '/v1/aml/alerts/decisions', reasoned);
      const [answer] = data;
      if (answer?.result === 'refused') throw new Error(answer.detail ?? answer.code ?? '');
      if (isFalse && isExcluded && hit !== undefined) {
        await change('POST', '/v1/sanctions/exclusions', {
          ftm_id: hit.ftm_id,
          reason: comment,
          reason_code: reason,
          screening_id: alert.subject.id,
        });
      }
      const next = nextInQueue(alert.alert_id);
      if (next === undefined) onChanged();
      else go(routeTo('alerts', next));
      return t(answer?.result === 'proposed' ? 'proposed' : 'decided');
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <>
      <form class="panel fields" onKeyDown={onKeyDown} onSubmit={submit} ref={form}>
        <h2>{t('decision')}</h2>
        <p class="hint">{t(alert.closable_by_one ? 'onePerson' : 'twoPersons')}</p>
        <fieldset>
          <legend class="unseen">{t('decision')}</legend>
          {(
            [
              ['false_positive', 'noMatch'],
              ['true_positive', 'match'],
            ] as const
          ).map(([value, key]) => (
            <label class="choice" key={value}>
              <input
                checked={decision === value}
                name="decision"
                onChange={() => setDecision(value)}
                required
                type="radio"
                value={value}
              />
              {t(key)}
            </label>
          ))}
        </fieldset>
        {isFalse ? (
          <Choice
            choices={[['', t('chooseReason')], ...REASONS.map((one) => [one, t(one)] as const)]}
            label={t('reason')}
            onChange={setReason}
            value={reason}
          />
        ) : null}
        <TextField
          hint={t('commentHint')}
          isLong
          isRequired
          label={t('comment')}
          onInput={setComment}
          value={comment}
        />
        {isFalse && mayExclude ? (
          <label class="choice">
            <input
              checked={isExcluded}
              onChange={(event) => setExcluded(event.currentTarget.checked)}
              type="checkbox"
            />
            {t('exclude')}
          </label>
        ) : null}
        {failure}
        <button class="primary" disabled={isBusy || (isFalse && reason === '')} type="submit">
          {t(nextInQueue(alert.alert_id) === undefined ? 'decide' : 'decideAndNext')}
        </button>
      </form>
      <FurtherActions alert={alert} onChanged={onChanged} />
    </>
  );
}

function FurtherActions({ alert, onChanged }: Omit<ActionsProps, 'hit'>): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const toast = useToast();
  const [isOpen, setOpen] = useState<'escalate' | 'note'>();
  const { attempt, failure, isBusy } = useAttempt();
  const isMine = alert.assignee === caller.person.actor;
  const assign = (): void => {
    attempt(async () => {
      await change('POST', pathOf(alert, 'assign'), {});
      onChanged();
      return t('assignedToMe');
    });
  };
  /** Whoever hands an alert up works on it: it is taken and begun before, where it was not. */
  const escalate = async (comment: string): Promise<void> => {
    if (!isMine) await change('POST', pathOf(alert, 'assign'), {});
    if (['assigned', 'open'].includes(alert.status)) await change('POST', pathOf(alert, 'review'));
    await change('POST', pathOf(alert, 'escalate'), { comment });
    toast(t('escalated'));
  };
  const note = async (text: string): Promise<void> => {
    await change('POST', pathOf(alert, 'notes'), { text });
    toast(t('noteAdded'));
  };
  useKeys({
    ...(!isMine && { a: assign }),
    ...(alert.status !== 'escalated' && { e: () => setOpen('escalate') }),
  });
  return (
    <div class="actions">
      {failure}
      {isMine ? null : (
        <button disabled={isBusy} onClick={assign} type="button">
          {t('assignToMe')}
        </button>
      )}
      {alert.status === 'escalated' ? null : (
        <button onClick={() => setOpen('escalate')} type="button">
          {t('escalate')}
        </button>
      )}
      <button onClick={() => setOpen('note')} type="button">
        {t('addNote')}
      </button>
      {may(caller, 'draftReports') ? (
        <a href={routeTo('reports', 'new', { alert_id: alert.alert_id })}>{t('draftFromAlert')}</a>
      ) : null}
      {isOpen === undefined ? null : (
        <CommentDialog
          label={t(isOpen === 'note' ? 'note' : 'comment')}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            setOpen(undefined);
            onChanged();
          }}
          send={isOpen === 'note' ? note : escalate}
          submit={t(isOpen === 'note' ? 'addNote' : 'escalate')}
          title={t(isOpen === 'note' ? 'addNote' : 'escalateTitle')}
        />
      )}
    </div>
  );
}

/** Another person agrees, or refuses with a reason. Who proposed it does neither. */
function SecondPerson({ alert, onChanged }: ActionsProps): JSX.Element | null {
  const { t } = useI18n();
  const caller = useCaller();
  const [isRefusing, setRefusing] = useState(false);
  const { attempt, failure, isBusy } = useAttempt();
  const isOwn = alert.proposal?.by === caller.person.actor;
  if (isOwn || !may(caller, 'exclude')) return null;
  const confirm = (): void => {
    attempt(async () => {
      await change('POST', pathOf(alert, 'confirm'), { confirmed: true });
      onChanged();
      return t('decided');
    });
  };
  const refuse = async (comment: string): Promise<void> => {
    await change('POST', pathOf(alert, 'confirm'), { comment, confirmed: false });
  };
  return (
    <div class="panel actions">
      {failure}
      <button class="primary" disabled={isBusy} onClick={confirm} type="button">
        {t('confirm')}
      </button>
      <button onClick={() => setRefusing(true)} type="button">
        {t('refuse')}
      </button>
      {isRefusing ? (
        <CommentDialog
          label={t('comment')}
          onClose={() => setRefusing(false)}
          onDone={() => {
            setRefusing(false);
            onChanged();
          }}
          send={refuse}
          submit={t('refuse')}
          title={t('refuseTitle')}
        />
      ) : null}
    </div>
  );
}
