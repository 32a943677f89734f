/**
 * The look of a data protection officer: another person than any who wrote it. They sign the
 * digest of all that the report says, in this browser or with a key from a file.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAttempt } from '../../parts/attempt.tsx';
import { CommentDialog } from '../../parts/commentDialog.tsx';
import { CodeBlock } from '../../parts/data.tsx';
import { TextField } from '../../parts/fields.tsx';
import { SignButtons } from '../../parts/signButtons.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useCaller } from '../../session.ts';
import { signedBytes } from '../../signedBytes.ts';
import { signText } from '../../signingKey.ts';
import { useI18n } from './i18n.ts';
import { type StepProps, step } from './reportActions.tsx';

const TIMESTAMP = 'YYYY-MM-DDThh:mm:ss.sssZ';

export function Validation({ of, onChanged }: StepProps): JSX.Element | null {
  const { t } = useI18n();
  const caller = useCaller();
  const toast = useToast();
  const [isNeeded, setNeeded] = useState(false);
  const [isKept, setKept] = useState(false);
  const [special, setSpecial] = useState<'' | 'justified' | 'none'>('');
  const [why, setWhy] = useState('');
  const [isReturning, setReturning] = useState(false);
  const { attempt, failure, isBusy } = useAttempt();
  const { signing } = of;
  const approver = caller.person.person_id ?? '';
  if (signing === null) return null;
  const isLookedAt =
    isNeeded && isKept && special !== '' && (special === 'none' || why.trim() !== '');
  const sign = (keyOf: () => Promise<CryptoKey>): void => {
    attempt(async () => {
      const timestamp = new Date().toISOString();
      const signature = await signText(
        await keyOf(),
        signedBytes(signing, { approver, timestamp }),
      );
      await step(of, 'validate', {
        checklist: { necessity: true, retention: true, special_categories: special },
        signature,
        timestamp,
        ...(special === 'justified' && { special_categories_reason: why }),
      });
      onChanged();
      return t('isValidated');
    });
  };
  return (
    <div class="panel fields">
      <h2>{t('validation')}</h2>
      <p class="hint">{t('validationHint')}</p>
      <fieldset>
        <legend>{t('lookedAt')}</legend>
        <label class="choice">
          <input
            checked={isNeeded}
            onChange={(event) => setNeeded(event.currentTarget.checked)}
            type="checkbox"
          />
          {t('isNecessary')}
        </label>
        <label class="choice">
          <input
            checked={isKept}
            onChange={(event) => setKept(event.currentTarget.checked)}
            type="checkbox"
          />
          {t('isRetained')}
        </label>
      </fieldset>
      <fieldset>
        <legend>{t('specialData')}</legend>
        {(['none', 'justified'] as const).map((one) => (
          <label class="choice" key={one}>
            <input
              checked={special === one}
              name="special"
              onChange={() => setSpecial(one)}
              type="radio"
              value={one}
            />
            {t(`special_${one}`)}
          </label>
        ))}
      </fieldset>
      {special === 'justified' ? (
        <TextField isLong isRequired label={t('specialWhy')} onInput={setWhy} value={why} />
      ) : null}
      <details>
        <summary>{t('exactBytes')}</summary>
        <CodeBlock
          label={t('exactBytes')}
          text={signedBytes(signing, { approver, timestamp: TIMESTAMP })}
        />
      </details>
      {failure}
      <div class="actions">
        <SignButtons isDisabled={isBusy || !isLookedAt} onKey={sign} />
        <button onClick={() => setReturning(true)} type="button">
          {t('giveBack')}
        </button>
      </div>
      {isReturning ? (
        <CommentDialog
          label={t('comment')}
          onClose={() => setReturning(false)}
          onDone={() => {
            setReturning(false);
            toast(t('isReturned'));
            onChanged();
          }}
          send={async (comment) => void (await step(of, 'return', { comment }))}
          submit={t('giveBack')}
          title={t('giveBack')}
        />
      ) : null}
    </div>
  );
}
