/** Accounts of an institution for one period, with whether and why each goes into a report. */
import type { JSX } from 'preact';
import { Code, Data } from '../../parts/data.tsx';
import { Choice } from '../../parts/fields.tsx';
import { PageFrame } from '../../parts/frame.tsx';
import { useMore } from '../../parts/more.tsx';
import { Table } from '../../parts/table.tsx';
import { go, type Route, routeTo } from '../../router.ts';
import { useI18n } from './i18n.ts';
import type { AccountRow } from './types.ts';

const REGIMES = ['FATCA', 'CRS'] as const;
/** Years that may be chosen, the last one first. */
const YEARS = 6;

export function AccountsPage({
  giin,
  query,
}: {
  readonly giin: string;
  readonly query: Route['query'];
}): JSX.Element {
  const { t } = useI18n();
  const last = new Date().getFullYear() - 1;
  const { period = String(last), regime = 'FATCA', reportable = '' } = query;
  const years = Array.from({ length: YEARS }, (_, at) => String(last - at));
  const set = (part: Record<string, string>): void =>
    go(routeTo('tax', undefined, { ...query, ...part }));
  const list = useMore<AccountRow>('/v1/tcr/accounts', {
    regime,
    reportable,
    reporting_fi_giin: giin,
    reporting_period: period,
  });
  return (
    <PageFrame title={t('taxAccountsOf', { period })}>
      <p>
        <a href={routeTo('tax')}>{t('taxTitle')}</a> · <Code text={giin} />
      </p>
      <form aria-label={t('filters')} class="filters">
        <Choice
          choices={years.map((one) => [one, one] as const)}
          label={t('taxYear')}
          onChange={(next) => set({ period: next })}
          value={period}
        />
        <Choice
          choices={REGIMES.map((one) => [one, one] as const)}
          label={t('taxRegime')}
          onChange={(next) => set({ regime: next })}
          value={regime}
        />
        <Choice
          choices={[
            ['', t('all')],
            ['true', t('yes')],
            ['false', t('no')],
          ]}
          label={t('taxReportable')}
          onChange={(next) => set({ reportable: next })}
          value={reportable}
        />
      </form>
      {list.shown((rows) => (
        <Rows of={rows} />
      ))}
    </PageFrame>
  );
}

function Rows({ of }: { readonly of: readonly AccountRow[] }): JSX.Element {
  const { number, t } = useI18n();
  return (
    <Table
      caption={t('taxAccounts')}
      heads={[
        t('taxAccount'),
        t('taxHolder'),
        t('taxResidence'),
        [t('taxBalance'), 'number'],
        t('taxReportable'),
        t('taxReasons'),
      ]}
    >
      {of.map(({ account, reasons, reportable }) => (
        <tr key={account.account_ref}>
          <th scope="row">
            <Code text={account.account_number} />
          </th>
          <td>
            <Data text={nameOf(account.holder.names)} />
          </td>
          <td>
            <Code text={account.holder.residence_countries.join(', ')} />
          </td>
          <td class="number">
            {number(Number(account.balance.amount), 2)} <Code text={account.balance.currency} />
          </td>
          <td>
            <span class={reportable ? 'tag' : 'tag good'}>{t(reportable ? 'yes' : 'no')}</span>
          </td>
          <td>
            <Code text={reasons.join(', ')} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

const nameOf = ([one]: AccountRow['account']['holder']['names']): string =>
  one?.name ?? [one?.first, one?.last].filter((part) => part !== undefined).join(' ');
