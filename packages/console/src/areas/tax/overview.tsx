/** Tax reporting: declarations, and the institutions and accounts that they are made from. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code, Data, Time } from '../../parts/data.tsx';
import { Example } from '../../parts/example.tsx';
import { Choice } from '../../parts/fields.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { useMore } from '../../parts/more.tsx';
import { Table } from '../../parts/table.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { taxExample } from './example.ts';
import { useI18n } from './i18n.ts';
import { NewDeclaration } from './newDeclaration.tsx';
import { ReceiveAnswer } from './receiveAnswer.tsx';
import { DeclarationState } from './tags.tsx';
import type { DeclarationRow, Institution } from './types.ts';
import { DECLARATION_STATES, useTaxWords } from './useWords.ts';

const REGIMES = ['FATCA', 'CRS'];

export function Overview(): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const institutions = useLoad('institutions', (signal) =>
    get<{ readonly data: readonly Institution[] }>('/v1/tcr/reporting-fis', {}, signal),
  );
  const [round, setRound] = useState(0);
  const again = (): void => {
    setRound(round + 1);
    institutions.again();
  };
  const mayMake =
    may(caller, 'stateInstitutions') && may(caller, 'takeTaxAccounts') && may(caller, 'declareTax');
  return (
    <PageFrame title={t('taxTitle')}>
      {mayMake ? (
        <div class="actions">
          <Example
            done={t('taxExampleDone')}
            label={t('taxExample')}
            onDone={again}
            steps={() => taxExample(new Date())}
          />
        </div>
      ) : null}
      <section aria-labelledby="declarations">
        <h2 id="declarations">{t('taxDeclarations')}</h2>
        <Declarations key={round} />
        {may(caller, 'declareTax') ? (
          <NewDeclaration institutions={institutions.data?.data ?? []} onMade={again} />
        ) : null}
        {may(caller, 'fileTax') ? <ReceiveAnswer onReceived={again} /> : null}
      </section>
      <section aria-labelledby="institutions">
        <h2 id="institutions">{t('taxInstitutions')}</h2>
        <Ready of={institutions}>{({ data }) => <Institutions of={data} />}</Ready>
      </section>
    </PageFrame>
  );
}

function Declarations(): JSX.Element {
  const { number, t } = useI18n();
  const words = useTaxWords();
  const [status, setStatus] = useState('');
  const [regime, setRegime] = useState('');
  const list = useMore<DeclarationRow>('/v1/tcr/declarations', { regime, status });
  return (
    <>
      <form aria-label={t('filters')} class="filters">
        <Choice
          choices={[
            ['', t('all')],
            ...Object.keys(DECLARATION_STATES).map((one) => [one, words.state(one)] as const),
          ]}
          label={t('filterStatus')}
          onChange={setStatus}
          value={status}
        />
        <Choice
          choices={[['', t('all')], ...REGIMES.map((one) => [one, one] as const)]}
          label={t('taxRegime')}
          onChange={setRegime}
          value={regime}
        />
      </form>
      {list.shown((rows) => (
        <Table
          caption={t('taxDeclarations')}
          heads={[
            t('taxReference'),
            t('taxRegime'),
            t('taxType'),
            t('taxPeriod'),
            [t('taxAccounts'), 'number'],
            t('filterStatus'),
            t('colCreated'),
          ]}
        >
          {rows.map((row) => (
            <tr key={row.declaration_id}>
              <th scope="row">
                <a href={routeTo('tax', row.declaration_id)}>
                  <Code text={row.reference} />
                </a>
              </th>
              <td>{row.regime}</td>
              <td>
                <Code text={row.type} /> {row.nil_report ? t('taxNil') : null}
              </td>
              <td>
                <Code text={row.reporting_period} />
              </td>
              <td class="number">{number(row.account_count)}</td>
              <td>
                <DeclarationState of={row} />
              </td>
              <td>
                <Time at={row.created_at} />
              </td>
            </tr>
          ))}
        </Table>
      ))}
    </>
  );
}

function Institutions({ of }: { readonly of: readonly Institution[] }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const period = String(new Date().getFullYear() - 1);
  if (of.length === 0) return <p>{t('nothingHere')}</p>;
  return (
    <Table
      caption={t('taxInstitutions')}
      heads={[
        t('colName'),
        'GIIN',
        t('taxModel'),
        t('taxJurisdictions'),
        t('colUpdated'),
        t('taxAccounts'),
      ]}
    >
      {of.map((one) => (
        <tr key={one.giin}>
          <th scope="row">
            <Data text={one.name} />
          </th>
          <td>
            <Code text={one.giin} />
          </td>
          <td>
            <Code text={one.iga_model ?? '–'} />
          </td>
          <td>
            <Code text={(one.reportable_jurisdictions ?? []).join(', ') || '–'} />
          </td>
          <td>
            <Time at={one.updated_at} />
          </td>
          <td>
            {may(caller, 'readTaxAccounts') ? (
              <a href={routeTo('tax', undefined, { giin: one.giin, period })}>
                {t('taxAccountsOf', { period })}
              </a>
            ) : (
              '–'
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
