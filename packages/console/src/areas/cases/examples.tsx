/** Something to look at, for who has no customers here: all of it is invented. */
import type { JSX } from 'preact';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { examplesOf } from './exampleCases.ts';
import { pdfOf } from './examplePaper.ts';
import { useI18n } from './i18n.ts';
import { CASES, type Case } from './types.ts';
import { uploadDocument } from './uploadDocument.ts';

export function CaseExamples({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const { t } = useI18n();
  const { attempt, failure, isBusy } = useAttempt();
  const openAll = (): void => {
    attempt(async () => {
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
      onDone();
      return t('caseExamplesDone');
    });
  };
  return (
    <>
      <p class="hint">{t('caseExamplesHint')}</p>
      <button disabled={isBusy} onClick={openAll} type="button">
        {t('caseExamples')}
      </button>
      {failure}
    </>
  );
}
