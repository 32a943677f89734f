/** What a report says: the story, whom it is about, and the transactions. */
import { Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { send } from '../../http.ts';
import { Code, Data } from '../../parts/data.tsx';
import { Failure } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { saveAs } from '../../saveAs.ts';
import { useI18n } from './i18n.ts';
import { type Content, type Party, pathOf, type Report } from './types.ts';

export function ReportContent({
  content,
  of,
}: {
  readonly content: Content;
  readonly of: Report;
}): JSX.Element {
  const { t } = useI18n();
  const { action, counterparties = [], indicators = [], narrative, subject } = content;
  return (
    <section aria-labelledby="content">
      <h2 id="content">{t('whatItSays')}</h2>
      <div class="panel">
        <h3>{t('narrative')}</h3>
        <p class="story">
          <Data text={narrative} />
        </p>
        <h3>{t('action')}</h3>
        <p class="story">
          <Data text={action} />
        </p>
        {indicators.length === 0 ? null : (
          <>
            <h3>{t('indicators')}</h3>
            <p>
              {indicators.map((one) => (
                <span class="one-of" key={one}>
                  <Code text={one} />
                </span>
              ))}
            </p>
          </>
        )}
      </div>
      <h3>{t('reportedSubject')}</h3>
      {subject === undefined ? <p>{t('none')}</p> : <Facts of={subject} />}
      <Counterparties of={counterparties} />
      <Transactions of={content} />
      <Attachments content={content} of={of} />
    </section>
  );
}

const HEADS = new Set(['id', 'is_customer', 'kind']);

/** Members of a party that are plain; what has parts of its own stands as it is. */
function Facts({ of }: { readonly of: Party }): JSX.Element {
  const { t } = useI18n();
  const others = Object.entries(of).filter(([name]) => !HEADS.has(name));
  return (
    <dl class="panel facts">
      <dt>{t('type')}</dt>
      <dd>
        {t(`party_${of.kind}`)} · {t(of.is_customer ? 'isCustomer' : 'isNoCustomer')}
      </dd>
      {others.map(([name, value]) => (
        <Fragment key={name}>
          <dt>
            <Code text={name} />
          </dt>
          <dd>
            {typeof value === 'string' ? (
              <Data text={value} />
            ) : (
              <Code text={JSON.stringify(value)} />
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Counterparties({ of }: { readonly of: readonly Party[] }): JSX.Element | null {
  const { t } = useI18n();
  if (of.length === 0) return null;
  return (
    <>
      <h3>{t('counterparties')}</h3>
      <Table caption={t('counterparties')} heads={['id', t('name'), t('type'), t('colCountry')]}>
        {of.map((one) => (
          <tr key={one.id}>
            <td>
              <Code text={one.id ?? '–'} />
            </td>
            <th scope="row">
              <Data text={one.name} />
            </th>
            <td>{t(`party_${one.kind}`)}</td>
            <td>
              <Code text={one.residence ?? '–'} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

const ROWS_MAX = 200;

function Transactions({ of }: { readonly of: Content }): JSX.Element | null {
  const { t } = useI18n();
  const all = of.transactions ?? [];
  if (all.length === 0) return null;
  return (
    <>
      <h3>{t('reportedTransactions', { count: all.length })}</h3>
      <Table
        caption={t('reportedTransactions', { count: all.length })}
        heads={[
          t('colDay'),
          t('colTransaction'),
          [t('colAmount'), 'number'],
          t('colDirection'),
          t('colOther'),
          t('colCountry'),
        ]}
      >
        {all.slice(0, ROWS_MAX).map((one) => (
          <tr key={one.id}>
            <td>
              <Code text={one.date} />
            </td>
            <th scope="row">
              <Code text={one.id} />
            </th>
            <td class="number">
              <Code text={`${one.amount} ${one.currency}`} />
            </td>
            <td>{t(`direction_${one.direction}`)}</td>
            <td>
              <Code text={one.counterparty} />
            </td>
            <td>
              <Code text={one.country ?? '–'} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function Attachments({
  content,
  of,
}: {
  readonly content: Content;
  readonly of: Report;
}): JSX.Element | null {
  const { t } = useI18n();
  const [error, setError] = useState<unknown>();
  if (content.attachments.length === 0) return null;
  const save = async (id: string, name: string): Promise<void> => {
    setError(undefined);
    try {
      const found = await send(`/console/api${pathOf(of)}/attachments/${id}`);
      saveAs(await found.blob(), name);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <h3>{t('attachments')}</h3>
      {error === undefined ? null : <Failure error={error} />}
      <ul class="plain">
        {content.attachments.map(({ attachment_id, file_name }) => (
          <li key={attachment_id}>
            <button class="link" onClick={() => void save(attachment_id, file_name)} type="button">
              <Data text={file_name} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
