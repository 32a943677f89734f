/** Weights and levels of a draft, in the numbers that people speak of. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { NumberField } from '../../parts/fields.tsx';
import { useI18n } from './i18n.ts';
import { DIMENSIONS, type Dimension, type RiskPolicy } from './types.ts';
import { useRiskWords } from './useWords.ts';

const BASIS = 100;
const WHOLE = 100;
const THRESHOLDS = ['standard', 'high'] as const;

export function EditDraft({
  of,
  onSaved,
}: {
  readonly of: RiskPolicy;
  readonly onSaved: () => void;
}): JSX.Element {
  const { number, t } = useI18n();
  const words = useRiskWords();
  const { attempt, failure, isBusy } = useAttempt();
  const [weights, setWeights] = useState(() => percentsOf(of.content.weights));
  const [levels, setLevels] = useState({
    high: of.content.thresholds.high,
    standard: of.content.thresholds.standard,
  });
  const sum = DIMENSIONS.reduce((all, name) => all + weights[name], 0);
  const isWhole = Math.round(sum * BASIS) === WHOLE * BASIS;
  const save = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      const body = { thresholds: levels, weights: basisOf(weights) };
      await change('PATCH', `/v1/risk/policies/${of.policy_id}`, body, { 'If-Match': of.etag });
      onSaved();
      return t('savedDraft');
    });
  };
  return (
    <details>
      <summary>{t('editDraft')}</summary>
      <form class="fields panel" onSubmit={save}>
        {DIMENSIONS.map((name) => (
          <NumberField
            key={name}
            label={`${words.dimension(name)}, %`}
            max={WHOLE}
            min={0}
            onInput={(value) => setWeights({ ...weights, [name]: value })}
            step={1 / BASIS}
            value={weights[name]}
          />
        ))}
        {THRESHOLDS.map((name) => (
          <NumberField
            key={name}
            label={`${words.level(name.toUpperCase())}: ${t('fromPoints')}`}
            max={WHOLE}
            min={0}
            onInput={(value) => setLevels({ ...levels, [name]: value })}
            step={1}
            value={levels[name]}
          />
        ))}
        {isWhole ? null : (
          <p class="notice bad" role="alert">
            {t('weightsSum', { n: number(sum, 2) })}
          </p>
        )}
        {failure}
        <div class="actions">
          <button class="primary" disabled={isBusy || !isWhole} type="submit">
            {t('save')}
          </button>
        </div>
      </form>
    </details>
  );
}

type Weights = Readonly<Record<Dimension, number>>;
const each = (weights: Weights, by: (value: number) => number): Weights =>
  Object.fromEntries(DIMENSIONS.map((name) => [name, by(weights[name])])) as Weights;
const percentsOf = (weights: Weights): Weights => each(weights, (value) => value / BASIS);
const basisOf = (weights: Weights): Weights => each(weights, (value) => Math.round(value * BASIS));
