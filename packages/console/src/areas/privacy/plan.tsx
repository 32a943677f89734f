/** The plan of an erasure: what of the person goes, and what a duty keeps until when. */
import type { JSX } from 'preact';
import { Code, Time } from '../../parts/data.tsx';
import { Table } from '../../parts/table.tsx';
import { useI18n } from './i18n.ts';
import type { PlannedStore, PrivacyRequest } from './types.ts';
import { usePrivacyWords } from './useWords.tsx';

export function Plan({ of }: { readonly of: NonNullable<PrivacyRequest['plan']> }): JSX.Element {
  const { number, t } = useI18n();
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">{t('privacyPlan')}</h2>
      <p>
        {t('privacyPlanMade')} <Time at={of.made_at} /> · {t('privacyRetention')}:{' '}
        {number(of.retention_years)}
      </p>
      {of.stores.length === 0 ? <p>{t('nothingHere')}</p> : <Stores of={of.stores} />}
    </section>
  );
}

function Stores({ of }: { readonly of: readonly PlannedStore[] }): JSX.Element {
  const { number, t } = useI18n();
  const words = usePrivacyWords();
  return (
    <Table
      caption={t('privacyPlan')}
      heads={[
        t('privacyStore'),
        t('privacyFate'),
        [t('privacyRows'), 'number'],
        t('privacyUntil'),
        t('privacyWhy'),
      ]}
    >
      {of.map((row) => (
        <tr key={`${row.store} ${row.action} ${row.why} ${row.until}`}>
          <th scope="row">
            <Code text={row.store} />
          </th>
          <td>
            <span class={row.action === 'delete' ? 'tag bad' : 'tag'}>
              {words.fate(row.action)}
            </span>
          </td>
          <td class="number">{number(row.rows)}</td>
          <td>{row.until === null ? '–' : <Time at={row.until} />}</td>
          <td>{words.why(row.why)}</td>
        </tr>
      ))}
    </Table>
  );
}
