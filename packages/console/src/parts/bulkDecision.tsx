/** Several alerts decided with one reason: shown by name before, and what became of each after. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import type { Alert } from '../types.ts';
import { useAttempt } from './attempt.tsx';
import { Data } from './data.tsx';
import { Dialog } from './dialog.tsx';
import { Choice, TextField } from './fields.tsx';
import { REASONS } from './reasons.ts';
import { Severity } from './words.tsx';

export interface Decided {
  readonly data: readonly { readonly alert_id: string; readonly result: string }[];
}

export function BulkDecision({
  alerts,
  onClose,
  onDone,
}: {
  readonly alerts: readonly Alert[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const { plural, t } = useI18n();
  const [reason, setReason] = useState('');
  const [comment, setComment] = useState('');
  const { attempt, failure, isBusy } = useAttempt();
  const submit = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      const { data } = await change<Decided>('POST', '/v1/aml/alerts/decisions', {
        alerts: alerts.map(({ alert_id, revision }) => ({ alert_id, version: revision })),
        comment,
        decision: 'false_positive',
        reason_code: reason,
      });
      const count = (result: string): number => data.filter((one) => one.result === result).length;
      onDone();
      return [
        plural('decidedCount', count('closed')),
        plural('proposedCount', count('proposed')),
        plural('refusedCount', count('refused')),
      ].join(' · ');
    });
  };
  return (
    <Dialog onClose={onClose} title={t('bulkTitle')}>
      <p>{t('bulkPreview')}</p>
      <ul class="preview">
        {alerts.map(({ alert_id, severity, subject }) => (
          <li key={alert_id}>
            <Severity of={severity} /> <Data text={subject.name} />
          </li>
        ))}
      </ul>
      <form class="fields" onSubmit={submit}>
        <p>
          {t('decision')}: <strong>{t('noMatch')}</strong>
        </p>
        <Choice
          choices={[['', t('chooseReason')], ...REASONS.map((one) => [one, t(one)] as const)]}
          label={t('reason')}
          onChange={setReason}
          value={reason}
        />
        <TextField
          hint={t('commentHint')}
          isLong
          isRequired
          label={t('comment')}
          onInput={setComment}
          value={comment}
        />
        {failure}
        <div class="actions">
          <button class="primary" disabled={isBusy || reason === ''} type="submit">
            {t('decide')}
          </button>
          <button onClick={onClose} type="button">
            {t('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
