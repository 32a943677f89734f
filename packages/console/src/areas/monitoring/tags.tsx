/** Amounts, advice and stages of rules, with marks that do not rest on colour alone. */
import type { JSX } from 'preact';
import { useI18n } from './i18n.ts';
import type { Advice, Payment, RuleStatus, ThreeWords } from './types.ts';

const MARKS = { credit: '+', debit: '−', transit: '↔' } as const;

/** As the account sees it: money in, money out, or between others. */
export function Amount({
  of: { amount, currency, direction },
}: {
  readonly of: Pick<Payment, 'amount' | 'currency' | 'direction'>;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <bdi class="nowrap number" dir="ltr">
      <span aria-hidden="true">{MARKS[direction]}</span>
      <span class="unseen">{t(`direction_${direction}`)} </span>
      {amount} {currency}
    </bdi>
  );
}

const ADVICE_MARKS: Readonly<Record<Advice, readonly [mark: string, look: string]>> = {
  block: ['✕ ', 'bad'],
  pass: ['✓ ', 'good'],
  review: ['◆ ', 'mark partly'],
};

export function AdviceTag({ of }: { readonly of: Advice }): JSX.Element {
  const { t } = useI18n();
  const [mark, look] = ADVICE_MARKS[of];
  return (
    <span class={`tag ${look}`}>
      <span aria-hidden="true">{mark}</span>
      {t(`advice_${of}`)}
    </span>
  );
}

const STATUS_MARKS: Readonly<Record<RuleStatus, readonly [mark: string, look: string]>> = {
  archived: ['', ''],
  backtested: ['≈ ', ''],
  discarded: ['', ''],
  draft: ['✎ ', ''],
  PENDING_APPROVAL: ['◆ ', 'mark partly'],
  published: ['✓ ', 'good'],
  shadow: ['◌ ', ''],
};

export function RuleState({ of }: { readonly of: RuleStatus }): JSX.Element {
  const { t } = useI18n();
  const [mark, look] = STATUS_MARKS[of];
  return (
    <span class={`tag ${look}`}>
      <span aria-hidden="true">{mark}</span>
      {t(`rule_${of}`)}
    </span>
  );
}

/** A text that has every language of the console. */
export function Said({ of }: { readonly of: ThreeWords }): JSX.Element {
  const { language } = useI18n();
  return <bdi dir="auto">{of[language]}</bdi>;
}
