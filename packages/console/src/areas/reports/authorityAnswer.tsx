/** What the authority has said, where no channel tells it: taken, or refused with its reasons. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useAttempt } from '../../parts/attempt.tsx';
import { Choice, TextField } from '../../parts/fields.tsx';
import { base64 } from '../../signingKey.ts';
import { useI18n } from './i18n.ts';
import { type StepProps, step } from './reportActions.tsx';

export function AnswerOfAuthority({ of, onChanged }: StepProps): JSX.Element {
  const { t } = useI18n();
  const id = useId();
  const [kind, setKind] = useState<'acknowledge' | 'refuse'>('acknowledge');
  const [reference, setReference] = useState('');
  const [code, setCode] = useState('');
  const [detail, setDetail] = useState('');
  const [receipt, setReceipt] = useState<File>();
  const { attempt, failure, isBusy } = useAttempt();
  const isRefused = kind === 'refuse';
  const submit = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      const file = receipt && {
        base64: base64(await receipt.arrayBuffer()),
        file_name: receipt.name,
      };
      await step(of, kind, {
        ...(reference !== '' && { fiu_reference: reference }),
        ...(isRefused && { reasons: [{ code, detail }] }),
        ...(file && { receipt: file }),
      });
      onChanged();
      return t('answerKept');
    });
  };
  return (
    <form class="panel fields" onSubmit={submit}>
      <h2>{t('answer')}</h2>
      <p class="hint">{t('answerHint')}</p>
      <Choice
        choices={[
          ['acknowledge', t('outcome_acknowledged')],
          ['refuse', t('outcome_refused')],
        ]}
        label={t('answer')}
        onChange={(one) => setKind(one as 'refuse')}
        value={kind}
      />
      <TextField
        dir="ltr"
        isRequired={!isRefused}
        label={t('fiuReference')}
        onInput={setReference}
        value={reference}
      />
      {isRefused ? (
        <>
          <TextField dir="ltr" isRequired label={t('refusalCode')} onInput={setCode} value={code} />
          <TextField
            isLong
            isRequired
            label={t('refusalDetail')}
            onInput={setDetail}
            value={detail}
          />
        </>
      ) : null}
      <div class="field">
        <label for={id}>{t('receipt')}</label>
        <input
          id={id}
          onChange={(event) => setReceipt(event.currentTarget.files?.[0])}
          type="file"
        />
      </div>
      {failure}
      <div class="actions">
        <button class="primary" disabled={isBusy} type="submit">
          {t('save')}
        </button>
      </div>
    </form>
  );
}
