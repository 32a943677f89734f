/** The log of transactions, latest first. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Code, Data, Time } from '../../parts/data.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Filters } from '../../parts/filters.tsx';
import { PageFrame } from '../../parts/frame.tsx';
import { Listed, useRows } from '../../parts/rows.tsx';
import { Table } from '../../parts/table.tsx';
import { Decision } from '../../parts/words.tsx';
import { go, routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { PaymentExamples } from './paymentExamples.tsx';
import { Amount } from './tags.tsx';
import { TRANSACTIONS, type Transaction } from './types.ts';

const PAGE_ROWS = 50;

export function TransactionList(): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const [wanted, setWanted] = useState('');
  const list = useRows<Transaction>(TRANSACTIONS, { limit: PAGE_ROWS });
  const isSandbox = caller.tenant.kind === 'sandbox';
  return (
    <PageFrame title={t('transactionsTitle')}>
      <Filters
        onSubmit={() => {
          if (wanted.trim() !== '') go(routeTo('transactions', wanted.trim()));
        }}
      >
        <TextField dir="ltr" label={t('findById')} onInput={setWanted} value={wanted} />
        <button type="submit">{t('open')}</button>
      </Filters>
      <Listed empty={<p>{t('nothingHere')}</p>} of={list}>
        {(rows) => (
          <Table
            caption={t('transactionsTitle')}
            heads={[
              t('colTime'),
              t('colTransaction'),
              [t('colAmount'), 'number'],
              t('colAccount'),
              t('colOther'),
              t('colChannel'),
              t('colVerdict'),
            ]}
          >
            {rows.map((row) => (
              <Row key={row.tseq} of={row} />
            ))}
          </Table>
        )}
      </Listed>
      {isSandbox && may(caller, 'sendTransactions') ? (
        <PaymentExamples onDone={list.again} />
      ) : null}
    </PageFrame>
  );
}

function Row({ of }: { readonly of: Transaction }): JSX.Element {
  const { t } = useI18n();
  const { transaction } = of;
  const found = [...new Set(of.screening.map(({ decision }) => decision))].filter(
    (one) => one !== 'CLEAR',
  );
  const other = transaction?.direction === 'credit' ? transaction.debtor : transaction?.creditor;
  return (
    <tr>
      <td>
        <Time at={transaction?.occurred_at ?? of.received_at} />
      </td>
      <th scope="row">
        <a href={routeTo('transactions', of.tx_id)}>
          <Code text={of.tx_id} />
        </a>
      </th>
      <td class="number">
        {transaction === undefined ? t('erased') : <Amount of={transaction} />}
      </td>
      <td>{transaction === undefined ? '–' : <Code text={transaction.account_id} />}</td>
      <td>{transaction === undefined ? '–' : <Data text={other?.name ?? null} />}</td>
      <td>
        {transaction?.channel === undefined ? '–' : t(`channel_${transaction.channel as 'cash'}`)}
      </td>
      <td>
        {found.length === 0 ? (
          <Decision of="CLEAR" />
        ) : (
          found.map((one) =>
            one === 'UNSCREENED' ? (
              <span class="tag" key={one}>
                {t('unscreened')}
              </span>
            ) : (
              <Decision key={one} of={one} />
            ),
          )
        )}
      </td>
    </tr>
  );
}
