/** Stages of a report, with marks that do not rest on colour alone. */
import type { JSX } from 'preact';
import { useI18n } from './i18n.ts';
import type { ReportStatus } from './types.ts';

const MARKS: Readonly<Record<ReportStatus, readonly [mark: string, look: string]>> = {
  acknowledged: ['✓ ', 'good'],
  draft: ['✎ ', ''],
  pending_validation: ['◆ ', 'mark partly'],
  returned: ['↩ ', 'bad'],
  submitted: ['→ ', ''],
  validated: ['✓ ', ''],
};

export function ReportState({ of }: { readonly of: ReportStatus }): JSX.Element {
  const { t } = useI18n();
  const [mark, look] = MARKS[of];
  return (
    <span class={`tag ${look}`}>
      <span aria-hidden="true">{mark}</span>
      {t(`report_${of}`)}
    </span>
  );
}
