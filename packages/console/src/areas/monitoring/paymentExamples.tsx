/** Payments of an invented bank into a sandbox, for who has no system that sends any. */
import type { JSX } from 'preact';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { examplePayments } from './examplePayments.ts';
import { useI18n } from './i18n.ts';
import { TRANSACTIONS } from './types.ts';

/** So few that they are read at once, without a thread. */
const TOGETHER = 10;

export function PaymentExamples({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const { t } = useI18n();
  const { attempt, failure, isBusy } = useAttempt();
  const sendAll = (): void => {
    attempt(async () => {
      const transactions = examplePayments(Date.now());
      const path = `${TRANSACTIONS}/ingest?format=json_service`;
      for (let at = 0; at < transactions.length; at += TOGETHER) {
        await change('POST', path, { transactions: transactions.slice(at, at + TOGETHER) });
      }
      onDone();
      return t('paymentsTaken');
    });
  };
  return (
    <>
      <p class="hint">{t('paymentExamplesHint')}</p>
      <button disabled={isBusy} onClick={sendAll} type="button">
        {t('paymentExamples')}
      </button>
      {failure}
    </>
  );
}
