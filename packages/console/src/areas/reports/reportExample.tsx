/** A report to look at, for who has nothing to report: all of it is invented. */
import type { JSX } from 'preact';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { go, routeTo } from '../../router.ts';
import { exampleReport } from './exampleReport.ts';
import { useI18n } from './i18n.ts';
import { REPORTS, type ReportRow } from './types.ts';

export function ReportExample(): JSX.Element {
  const { t } = useI18n();
  const { attempt, failure, isBusy } = useAttempt();
  const draft = (): void => {
    attempt(async () => {
      const { str_id } = await change<ReportRow>('POST', REPORTS, exampleReport(Date.now()));
      go(routeTo('reports', str_id));
      return '';
    });
  };
  return (
    <>
      <p class="hint">{t('exampleHint')}</p>
      <button disabled={isBusy} onClick={draft} type="button">
        {t('draftExample')}
      </button>
      {failure}
    </>
  );
}
