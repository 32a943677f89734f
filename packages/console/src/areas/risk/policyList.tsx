/** Risk policies, latest first; in a sandbox an example with clients to try it on. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Bar } from '../../parts/charts.tsx';
import { CommentDialog } from '../../parts/commentDialog.tsx';
import { Code, Data, Time } from '../../parts/data.tsx';
import { Example, type Step } from '../../parts/example.tsx';
import { Choice } from '../../parts/fields.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { useMore } from '../../parts/more.tsx';
import { Table } from '../../parts/table.tsx';
import { go, routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { riskExample } from './example.ts';
import { useI18n } from './i18n.ts';
import { LEVELS, type RiskPolicy, type RiskRow } from './types.ts';
import { RISK_STATES, useRiskWords } from './useWords.ts';

const PATH = '/v1/risk/policies';

export function PolicyList(): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const words = useRiskWords();
  const [status, setStatus] = useState('');
  const [isDrafting, setDrafting] = useState(false);
  const list = useMore<RiskRow>(PATH, { status });
  const example = (): readonly Step[] =>
    riskExample(t('riskExampleName'), (id, backtest) => go(routeTo('risk', id, { backtest })));
  return (
    <PageFrame title={t('riskTitle')}>
      <form aria-label={t('filters')} class="filters">
        <Choice
          choices={[
            ['', t('all')],
            ...Object.keys(RISK_STATES).map((one) => [one, words.state(one)] as const),
          ]}
          label={t('approvalState')}
          onChange={setStatus}
          value={status}
        />
      </form>
      {may(caller, 'draftRisk') ? (
        <div class="actions">
          <button class="primary" onClick={() => setDrafting(true)} type="button">
            {t('riskNew')}
          </button>
          {may(caller, 'screen') ? (
            <Example
              done={t('riskExampleDone')}
              label={t('riskExample')}
              onDone={list.again}
              steps={example}
            />
          ) : null}
        </div>
      ) : null}
      {list.shown((rows) => (
        <Rows of={rows} />
      ))}
      {isDrafting ? (
        <CommentDialog
          label={t('colName')}
          onClose={() => setDrafting(false)}
          onDone={() => setDrafting(false)}
          send={async (name) => {
            const made = await change<RiskPolicy>('POST', PATH, { name });
            go(routeTo('risk', made.policy_id));
          }}
          submit={t('riskNew')}
          title={`${t('riskNew')}. ${t('riskNewHint')}`}
        />
      ) : null}
      {may(caller, 'readDistribution') ? <Distribution /> : null}
    </PageFrame>
  );
}

function Rows({ of }: { readonly of: readonly RiskRow[] }): JSX.Element {
  const { number, t } = useI18n();
  const words = useRiskWords();
  return (
    <Table
      caption={t('riskTitle')}
      heads={[
        t('colName'),
        [t('colVersion'), 'number'],
        t('approvalState'),
        t('effectiveAt'),
        t('writtenBy'),
        t('colUpdated'),
      ]}
    >
      {of.map((one) => (
        <tr key={one.policy_id}>
          <th scope="row">
            <a href={routeTo('risk', one.policy_id)}>
              <Data text={one.name} />
            </a>
          </th>
          <td class="number">{one.version === null ? '–' : number(one.version)}</td>
          <td>
            <span class="tag">{words.state(one.status)}</span>{' '}
            {one.in_force ? <span class="tag good">{t('inForce')}</span> : null}
          </td>
          <td>
            <Time at={one.effective_at} />
          </td>
          <td>
            <Code text={one.author} />
          </td>
          <td>{one.author === 'system' ? '–' : <Time at={one.updated_at} />}</td>
        </tr>
      ))}
    </Table>
  );
}

interface Levels {
  readonly clients: number;
  readonly incomplete: number;
  readonly levels: Readonly<Record<string, number>>;
}

/** How many clients stand at which level now. */
function Distribution(): JSX.Element {
  const { number, t } = useI18n();
  const words = useRiskWords();
  const counts = useLoad('distribution', (signal) =>
    get<Levels>('/v1/risk/distribution', {}, signal),
  );
  return (
    <section aria-labelledby="distribution">
      <h2 id="distribution">{t('distributionTitle')}</h2>
      <Ready of={counts}>
        {({ clients, levels }) => (
          <Table
            caption={t('distributionTitle')}
            heads={[t('thresholds'), [t('backtestOf'), 'number'], '']}
          >
            {LEVELS.map((level) => (
              <tr key={level}>
                <th scope="row">{words.level(level)}</th>
                <td class="number">{number(levels[level] ?? 0)}</td>
                <td>
                  <Bar share={(levels[level] ?? 0) / Math.max(1, clients)} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Ready>
    </section>
  );
}
