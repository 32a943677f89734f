/** One transaction: what is advised of it and why, its parties, and its alerts. */
import type { JSX } from 'preact';
import { get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code, Data, Json, Time } from '../../parts/data.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Decision } from '../../parts/words.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { AdviceTag, Amount } from './tags.tsx';
import {
  type Advised,
  type Party,
  type PartyVerdict,
  type Payment,
  TRANSACTIONS,
  type Transaction,
} from './types.ts';

export function TransactionPage({ id }: { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const path = `${TRANSACTIONS}/${encodeURIComponent(id)}`;
  const found = useLoad(id, async (signal) => {
    const [one, advised] = await Promise.all([
      get<Transaction>(path, {}, signal),
      get<Advised>(`${path}/advice`, {}, signal),
    ]);
    return { advised, one };
  });
  return (
    <PageFrame title={t('transactionTitle')}>
      <p class="ways">
        <a href={routeTo('transactions')}>{t('backToTransactions')}</a>
      </p>
      <Ready of={found}>
        {({ advised, one }) => (
          <>
            <Summary advised={advised} of={one} />
            <Alerts of={advised} />
            <Parties of={one} />
            {one.transaction === undefined ? null : <Rest of={one.transaction} />}
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

function Summary({
  advised,
  of,
}: {
  readonly advised: Advised;
  readonly of: Transaction;
}): JSX.Element {
  const { list, t } = useI18n();
  const { transaction } = of;
  return (
    <div class="panel">
      <p class="headline">
        {advised.decision === null ? (
          <span class="tag">{t('notSaid')}</span>
        ) : (
          <AdviceTag of={advised.decision} />
        )}
        {transaction === undefined ? (
          <span>{t('erased')}</span>
        ) : (
          <strong>
            <Amount of={transaction} />
          </strong>
        )}
        <Code text={of.tx_id} />
      </p>
      <dl class="facts">
        {transaction === undefined ? null : (
          <>
            <dt>{t('occurred')}</dt>
            <dd>
              <Time at={transaction.occurred_at} />
            </dd>
            <dt>{t('colAccount')}</dt>
            <dd>
              <Code text={transaction.account_id} />
            </dd>
            {transaction.customer_id === undefined ? null : (
              <>
                <dt>{t('customer')}</dt>
                <dd>
                  <Code text={transaction.customer_id} />
                </dd>
              </>
            )}
            {transaction.channel === undefined ? null : (
              <>
                <dt>{t('colChannel')}</dt>
                <dd>{t(`channel_${transaction.channel as 'cash'}`)}</dd>
              </>
            )}
          </>
        )}
        <dt>{t('received')}</dt>
        <dd>
          <Time at={of.received_at} /> · <Code text={of.source_format} />
        </dd>
        <dt>{t('placeInLog')}</dt>
        <dd>
          <Code text={String(of.tseq)} /> · {t('revision')} <Code text={String(of.revision)} />
          {of.reversed_by === undefined ? null : (
            <strong> {t('reversedBy', { tseq: of.reversed_by })}</strong>
          )}
        </dd>
        {advised.decided_by.length === 0 ? null : (
          <>
            <dt>{t('saidBy')}</dt>
            <dd>{list(advised.decided_by.map((one) => t(`by_${one}`)))}</dd>
          </>
        )}
      </dl>
      <p class="hint">{t('weAdvise')}</p>
    </div>
  );
}

function Alerts({ of }: { readonly of: Advised }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  return (
    <section aria-labelledby="alerts">
      <h2 id="alerts">{t('navAlerts')}</h2>
      {of.alerts.length === 0 ? <p>{t('noAlerts')}</p> : null}
      <ul class="plain">
        {of.alerts.map((id) => (
          <li key={id}>
            {may(caller, 'readAlerts') ? (
              <a href={routeTo('alerts', id)}>
                <Code text={id} />
              </a>
            ) : (
              <Code text={id} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const isParty = (value: unknown): value is Party =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The party of a verdict, as the record has it. */
function partyOf(payment: Payment | undefined, { place, role }: PartyVerdict): Party | undefined {
  const found = payment?.[role];
  const one = Array.isArray(found) ? found[place ?? 0] : found;
  return isParty(one) ? one : undefined;
}

const accountOf = ({ account, bic }: Party): string =>
  [account?.iban ?? account?.other, bic].filter((one) => one !== undefined).join(' · ');

function Parties({ of }: { readonly of: Transaction }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const mayRead = may(caller, 'evidence');
  return (
    <section aria-labelledby="parties">
      <h2 id="parties">{t('parties')}</h2>
      {of.screening.length === 0 ? (
        <p>{t('noParties')}</p>
      ) : (
        <Table
          caption={t('parties')}
          heads={[t('colRole'), t('name'), t('colAccount'), t('colCountry'), t('colVerdict')]}
        >
          {of.screening.map((one) => {
            const party = partyOf(of.transaction, one);
            const country =
              party?.address?.country ?? party?.country ?? party?.country_of_residence ?? '–';
            return (
              <tr key={`${one.role}/${one.place ?? ''}`}>
                <th scope="row">{t(`role_${one.role as 'debtor'}`)}</th>
                <td>
                  <Data text={party?.name ?? textOf(of.transaction, one)} />
                </td>
                <td>
                  <Code text={party === undefined ? '–' : accountOf(party)} />
                </td>
                <td>
                  <Code text={country} />
                </td>
                <td>
                  {one.decision === 'UNSCREENED' ? (
                    <span class="tag">{t('unscreened')}</span>
                  ) : (
                    <Decision of={one.decision} />
                  )}{' '}
                  {one.screening_id !== null && mayRead ? (
                    <a href={routeTo('screenings', one.screening_id)}>{t('evidenceLink')}</a>
                  ) : null}
                </td>
              </tr>
            );
          })}
        </Table>
      )}
    </section>
  );
}

/** Free text in which a name was found. */
function textOf(payment: Payment | undefined, { role }: PartyVerdict): string | null {
  const found = payment?.[role];
  return Array.isArray(found) && found.every((one) => typeof one === 'string')
    ? found.join(' ')
    : null;
}

function Rest({ of }: { readonly of: Payment }): JSX.Element {
  const { t } = useI18n();
  return (
    <details>
      <summary>{t('wholeRecord')}</summary>
      <Json label={t('wholeRecord')} value={of} />
    </details>
  );
}
