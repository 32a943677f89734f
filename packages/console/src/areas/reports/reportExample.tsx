/** A report to look at, for who has nothing to report: all of it is invented. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { Failure } from '../../parts/frame.tsx';
import { go, routeTo } from '../../router.ts';
import { exampleReport } from './exampleReport.ts';
import { useI18n } from './i18n.ts';
import { REPORTS, type ReportRow } from './types.ts';

export function ReportExample(): JSX.Element {
  const { t } = useI18n();
  const [error, setError] = useState<unknown>();
  const draft = async (): Promise<void> => {
    setError(undefined);
    try {
      const { str_id } = await change<ReportRow>('POST', REPORTS, exampleReport(Date.now()));
      go(routeTo('reports', str_id));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <p class="hint">{t('exampleHint')}</p>
      <button onClick={draft} type="button">
        {t('draftExample')}
      </button>
      {error === undefined ? null : <Failure error={error} />}
    </>
  );
}
