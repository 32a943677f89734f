/** What a version in shadow would have raised, by day, with some of it in words. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code, Time } from '../../parts/data.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Severity } from '../../parts/words.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { Said } from './tags.tsx';
import { type RuleVersion, type Shadow, versionPath } from './types.ts';

const DAYS = ['7', '30', '90'];

export function ShadowFigures({ of }: { readonly of: RuleVersion }): JSX.Element {
  const { number, t } = useI18n();
  const [days, setDays] = useState('30');
  const path = `${versionPath(of)}/shadow`;
  const found = useLoad(`${path}/${days}`, (signal) => get<Shadow>(path, { days }, signal));
  return (
    <section aria-labelledby="shadow">
      <h2 id="shadow">{t('shadowTitle')}</h2>
      <p class="hint">{t('shadowHint')}</p>
      <Choice
        choices={DAYS.map((one) => [one, t('span_days', { count: one })] as const)}
        label={t('period')}
        onChange={setDays}
        value={days}
      />
      <Ready of={found}>
        {(shadow) => (
          <>
            <p>
              {t('shadowSays', {
                alerts: number(shadow.alerts) + (shadow.complete ? '' : '+'),
                subjects: number(shadow.subjects),
              })}
            </p>
            {shadow.by_day.length === 0 ? null : <ByDay of={shadow} />}
            {shadow.examples.length === 0 ? null : <Examples of={shadow} />}
          </>
        )}
      </Ready>
    </section>
  );
}

/** A bar a day, with its figure beside it. */
function ByDay({ of }: { readonly of: Shadow }): JSX.Element {
  const { t } = useI18n();
  const most = Math.max(...of.by_day.map(({ alerts }) => alerts));
  return (
    <Table caption={t('byDay')} heads={[t('colDay'), [t('navAlerts'), 'number'], t('colPart')]}>
      {of.by_day.map(({ alerts, day }) => (
        <tr key={day}>
          <th scope="row">
            <Code text={day} />
          </th>
          <td class="number">{alerts}</td>
          <td>
            <meter aria-label={day} max={most} min={0} value={alerts} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Examples({ of }: { readonly of: Shadow }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const maySee = may(caller, 'readTransactions');
  return (
    <Table
      caption={t('examples')}
      heads={[t('colTime'), t('colSeverity'), t('colWhy'), t('navTransactions')]}
    >
      {of.examples.map((one, at) => (
        <tr key={at}>
          <td>
            <Time at={one.last_at} />
          </td>
          <td>
            <Severity of={one.severity} />
          </td>
          <td>
            <Said of={one.text} />
          </td>
          <td>
            {one.tx_ids.map((id) => (
              <span class="one-of" key={id}>
                {maySee ? (
                  <a href={routeTo('transactions', id)}>
                    <Code text={id} />
                  </a>
                ) : (
                  <Code text={id} />
                )}
              </span>
            ))}
          </td>
        </tr>
      ))}
    </Table>
  );
}
