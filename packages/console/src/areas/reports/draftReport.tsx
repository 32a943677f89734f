/** A new report: from an alert, from transactions of the log, or from nothing but its story. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { Code } from '../../parts/data.tsx';
import { Choice, TextField } from '../../parts/fields.tsx';
import { Failure, PageFrame } from '../../parts/frame.tsx';
import { Faults } from '../../parts/jsonField.tsx';
import { Problem } from '../../problem.ts';
import { go, type Route, routeTo } from '../../router.ts';
import { useI18n } from './i18n.ts';
import { REPORTS, type ReportRow } from './types.ts';

export function DraftReport({ query }: Pick<Route, 'query'>): JSX.Element {
  const { t } = useI18n();
  const alertId = query.alert_id ?? '';
  const [narrative, setNarrative] = useState('');
  const [ids, setIds] = useState(query.tx_id ?? '');
  const [kind, setKind] = useState('person');
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const transactions = ids.split(/[\s,]+/).filter((one) => one !== '');
    try {
      const { str_id } = await change<ReportRow>('POST', REPORTS, {
        ...(alertId !== '' && { alert_id: alertId }),
        ...(name !== '' && { subject: { is_customer: true, kind, name } }),
        ...(narrative !== '' && { narrative }),
        ...(transactions.length > 0 && { transaction_ids: transactions }),
      });
      go(routeTo('reports', str_id));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const faults = error instanceof Problem ? error.errors : [];
  return (
    <PageFrame title={t('draftReport')}>
      <p class="ways">
        <a href={routeTo('reports')}>{t('backToReports')}</a>
      </p>
      <p class="notice">{t('keepSilent')}</p>
      <form class="fields one-column" onSubmit={submit}>
        {alertId === '' ? null : (
          <p>
            {t('fromAlert')} <Code text={alertId} />
          </p>
        )}
        <TextField
          hint={t('narrativeHint')}
          isLong
          label={t('narrative')}
          onInput={setNarrative}
          value={narrative}
        />
        <TextField
          dir="ltr"
          hint={t('transactionIdsHint')}
          label={t('transactionIds')}
          onInput={setIds}
          value={ids}
        />
        {alertId === '' ? (
          <>
            <Choice
              choices={[
                ['person', t('party_person')],
                ['organisation', t('party_organisation')],
              ]}
              label={t('type')}
              onChange={setKind}
              value={kind}
            />
            <TextField label={t('reportedName')} onInput={setName} value={name} />
          </>
        ) : null}
        {error === undefined ? null : <Failure error={error} />}
        {faults.length === 0 ? null : <Faults of={faults} />}
        <div class="actions">
          <button class="primary" disabled={isBusy} type="submit">
            {t('draftReport')}
          </button>
        </div>
      </form>
    </PageFrame>
  );
}
