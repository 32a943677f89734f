/** Something to look at, for who has no customers here: all of it is invented. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { Failure } from '../../parts/frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { examplesOf } from './exampleCases.ts';
import { pdfOf } from './examplePaper.ts';
import { useI18n } from './i18n.ts';
import { CASES, type Case } from './types.ts';
import { uploadDocument } from './uploadDocument.ts';

export function CaseExamples({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const { t } = useI18n();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const openAll = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      for (const { consents, papers, ...body } of examplesOf(Date.now())) {
        const { case_id } = await change<Case>('POST', CASES, body);
        for (const purpose of consents) {
          await change('POST', `${CASES}/${case_id}/consent`, {
            given: true,
            locale: body.locale,
            method: 'paper',
            purpose,
            text_version: 'example-1',
          });
        }
        for (const { kind, lines } of papers) {
          await uploadDocument(case_id, kind, pdfOf(lines));
        }
      }
      toast(t('caseExamplesDone'));
      onDone();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p class="hint">{t('caseExamplesHint')}</p>
      <button disabled={isBusy} onClick={openAll} type="button">
        {t('caseExamples')}
      </button>
      {error === undefined ? null : <Failure error={error} />}
    </>
  );
}
