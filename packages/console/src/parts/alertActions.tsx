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
import type { Decided } from './bulkDecision.tsx';
import { CommentDialog } from './commentDialog.tsx';
import { Choice, TextField } from './fields.tsx';
import { Failure } from './frame.tsx';
import { REASONS, suggestedReason } from './reasons.ts';
import { useToast } from './toast.tsx';

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
  const toast = useToast();
  const [decision, setDecision] = useState('');
  const [chosen, setReason] = useState<string>();
  const [comment, setComment] = useState('');
  const [isExcluded, setExcluded] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
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

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const [answer] = (
        await change<Decided & { data: readonly { code: string | null; detail: string | null }[] }>(
          'POST',
          '/v1/aml/alerts/decisions',
          {
            alerts: [{ alert_id: alert.alert_id, version: alert.revision }],
            comment,
            decision,
            ...(isFalse && { reason_code: reason }),
          },
        )
      ).data;
      if (answer?.result === 'refused') {
        setError(new Error(answer.detail ?? answer.code ?? ''));
        return;
      }
      if (isFalse && isExcluded && hit !== undefined) {
        await change('POST', '/v1/sanctions/exclusions', {
          ftm_id: hit.ftm_id,
          reason: comment,
          reason_code: reason,
          screening_id: alert.subject.id,
        });
      }
      toast(answer?.result === 'proposed' ? t('proposed') : t('decided'));
      const next = nextInQueue(alert.alert_id);
      if (next === undefined) onChanged();
      else go(routeTo('alerts', next));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
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
        {error === undefined ? null : <Failure error={error} />}
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
  const [error, setError] = useState<unknown>();
  const isMine = alert.assignee === caller.person.actor;
  const assign = async (): Promise<void> => {
    try {
      await change('POST', pathOf(alert, 'assign'), {});
      toast(t('assignedToMe'));
      onChanged();
    } catch (failure) {
      setError(failure);
    }
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
    ...(!isMine && { a: () => void assign() }),
    ...(alert.status !== 'escalated' && { e: () => setOpen('escalate') }),
  });
  return (
    <div class="actions">
      {error === undefined ? null : <Failure error={error} />}
      {isMine ? null : (
        <button onClick={assign} type="button">
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
  const toast = useToast();
  const [isRefusing, setRefusing] = useState(false);
  const [error, setError] = useState<unknown>();
  const isOwn = alert.proposal?.by === caller.person.actor;
  if (isOwn || !may(caller, 'exclude')) return null;
  const confirm = async (): Promise<void> => {
    try {
      await change('POST', pathOf(alert, 'confirm'), { confirmed: true });
      toast(t('decided'));
      onChanged();
    } catch (failure) {
      setError(failure);
    }
  };
  const refuse = async (comment: string): Promise<void> => {
    await change('POST', pathOf(alert, 'confirm'), { comment, confirmed: false });
  };
  return (
    <div class="panel actions">
      {error === undefined ? null : <Failure error={error} />}
      <button class="primary" onClick={confirm} type="button">
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
