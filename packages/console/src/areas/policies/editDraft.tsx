/** Thresholds and weights of a draft. What else it says stays as it is. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { NumberField, TextField } from '../../parts/fields.tsx';
import { useI18n } from './i18n.ts';
import { PARTS, type SanctionsPolicy, THRESHOLDS } from './types.ts';
import { usePolicyWords } from './useWords.ts';

const STEP = 0.01;
/** What floating point may add to a sum of hundredths. */
const NEAR = 1e-6;

export function EditDraft({
  of,
  onSaved,
}: {
  readonly of: SanctionsPolicy;
  readonly onSaved: () => void;
}): JSX.Element {
  const { number, t } = useI18n();
  const words = usePolicyWords();
  const { attempt, failure, isBusy } = useAttempt();
  const [thresholds, setThresholds] = useState(of.content.thresholds);
  const [weights, setWeights] = useState(of.content.weights);
  const [justification, setJustification] = useState(of.justification);
  const sum = PARTS.reduce((all, name) => all + weights[name], 0);
  const isWhole = Math.abs(sum - 1) < NEAR;
  const { direct, pep, rca_1, rca_2 } = thresholds;
  const isOrdered = rca_2 <= rca_1 && rca_1 <= pep && pep <= direct;
  const save = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      const content = { ...of.content, thresholds, weights };
      await change(
        'PUT',
        '/v1/sanctions/policies',
        { content, justification },
        {
          'If-Match': of.etag,
        },
      );
      onSaved();
      return t('savedDraft');
    });
  };
  return (
    <details>
      <summary>{t('editDraft')}</summary>
      <form class="fields panel" onSubmit={save}>
        <h2>{t('scoreThresholds')}</h2>
        {THRESHOLDS.map((name) => (
          <NumberField
            key={name}
            label={words.threshold(name)}
            max={1}
            min={0}
            onInput={(value) => setThresholds({ ...thresholds, [name]: value })}
            step={STEP}
            value={thresholds[name]}
          />
        ))}
        {isOrdered ? null : (
          <p class="notice bad" role="alert">
            {t('orderBroken')}
          </p>
        )}
        <h2>{t('scoreWeights')}</h2>
        {PARTS.map((name) => (
          <NumberField
            key={name}
            label={words.part(name)}
            max={1}
            min={0}
            onInput={(value) => setWeights({ ...weights, [name]: value })}
            step={STEP}
            value={weights[name]}
          />
        ))}
        {isWhole ? null : (
          <p class="notice bad" role="alert">
            {t('partsSum', { n: number(sum, 2) })}
          </p>
        )}
        <TextField
          isLong
          isRequired
          label={t('policyJustification')}
          onInput={setJustification}
          value={justification}
        />
        {failure}
        <div class="actions">
          <button class="primary" disabled={isBusy || !isWhole || !isOrdered} type="submit">
            {t('save')}
          </button>
        </div>
      </form>
    </details>
  );
}
