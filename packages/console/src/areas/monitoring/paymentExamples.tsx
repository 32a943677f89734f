/** Payments of an invented bank into a sandbox, for who has no system that sends any. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { Failure } from '../../parts/frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { examplePayments } from './examplePayments.ts';
import { useI18n } from './i18n.ts';
import { TRANSACTIONS } from './types.ts';

/** So few that they are read at once, without a thread. */
const TOGETHER = 10;

export function PaymentExamples({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const { t } = useI18n();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const sendAll = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const transactions = examplePayments(Date.now());
      const path = `${TRANSACTIONS}/ingest?format=json_service`;
      for (let at = 0; at < transactions.length; at += TOGETHER) {
        await change('POST', path, { transactions: transactions.slice(at, at + TOGETHER) });
      }
      toast(t('paymentsTaken'));
      onDone();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p class="hint">{t('paymentExamplesHint')}</p>
      <button disabled={isBusy} onClick={sendAll} type="button">
        {t('paymentExamples')}
      </button>
      {error === undefined ? null : <Failure error={error} />}
    </>
  );
}
