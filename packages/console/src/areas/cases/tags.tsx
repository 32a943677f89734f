/** States of cases and what checks come to, with marks that do not rest on colour alone. */
import type { JSX } from 'preact';
import { useI18n } from './i18n.ts';
import type { CaseStatus, CheckStatus, Tier } from './types.ts';

const STATUS_MARKS: Readonly<Partial<Record<CaseStatus, readonly [mark: string, look: string]>>> = {
  approved: ['✓ ', 'good'],
  manual_review: ['◆ ', 'mark partly'],
  rejected: ['✕ ', 'bad'],
};

export function CaseState({ of }: { readonly of: CaseStatus }): JSX.Element {
  const { t } = useI18n();
  const [mark, look] = STATUS_MARKS[of] ?? ['', ''];
  return (
    <span class={`tag ${look}`}>
      <span aria-hidden="true">{mark}</span>
      {t(`status_${of}`)}
    </span>
  );
}

const TIER_MARKS: Readonly<Record<Tier, readonly [mark: string, look: string]>> = {
  high: ['▲ ', 'severity-high'],
  low: ['▽ ', ''],
  standard: ['', ''],
  very_high: ['▲▲ ', 'severity-critical'],
};

export function TierTag({ of }: { readonly of: Tier | null }): JSX.Element {
  const { t } = useI18n();
  if (of === null) return <span class="muted">{t('noTier')}</span>;
  const [mark, look] = TIER_MARKS[of];
  return (
    <span class={`tag ${look}`}>
      <span aria-hidden="true">{mark}</span>
      {t(`tier_${of}`)}
    </span>
  );
}

const CHECK_MARKS: Readonly<Record<CheckStatus, readonly [mark: string, look: string]>> = {
  fail: ['✕ ', 'bad'],
  pass: ['✓ ', 'good'],
  pending: ['… ', ''],
  review: ['◆ ', 'mark partly'],
  unavailable: ['– ', ''],
};

export function CheckTag({ of }: { readonly of: CheckStatus }): JSX.Element {
  const { t } = useI18n();
  const [mark, look] = CHECK_MARKS[of];
  return (
    <span class={`tag ${look}`}>
      <span aria-hidden="true">{mark}</span>
      {t(`check_${of}`)}
    </span>
  );
}
