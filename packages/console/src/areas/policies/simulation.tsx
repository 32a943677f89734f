/** What a version would have decided of past screenings; nothing is written by it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Code, Time } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Table } from '../../parts/table.tsx';
import { Decision } from '../../parts/words.tsx';
import { routeTo } from '../../router.ts';
import { useI18n } from './i18n.ts';
import type { Simulation } from './types.ts';

export function Simulate({ version }: { readonly version: number }): JSX.Element {
  const { t } = useI18n();
  const { attempt, failure, isBusy } = useAttempt();
  const [found, setFound] = useState<Simulation>();
  const run = (): void =>
    attempt(async () => {
      const path = `/v1/sanctions/policies/${version}/simulate`;
      setFound(await change<Simulation>('POST', path, {}));
      return '';
    });
  return (
    <section aria-labelledby="simulation">
      <h2 id="simulation">{t('simulationTitle')}</h2>
      <button disabled={isBusy} onClick={run} type="button">
        {t('simulate')}
      </button>
      <p aria-live="polite">{isBusy ? t('simulating') : ''}</p>
      {failure}
      {found === undefined ? null : <Found of={found} />}
    </section>
  );
}

function Found({ of }: { readonly of: Simulation }): JSX.Element {
  const { date, number, t } = useI18n();
  return (
    <>
      <p>{t('simulationOf', { from: date(of.from), n: number(of.screened), to: date(of.to) })}</p>
      {of.complete ? null : <p class="notice">{t('simulationIncomplete')}</p>}
      <Facts
        of={[
          [t('simulationChanged'), number(of.changed)],
          [t('simulationHits'), `${number(of.hits_before)} → ${number(of.hits_after)}`],
          [t('simulationErased'), number(of.erased)],
        ]}
      />
      {of.shifts.length === 0 ? null : <Shifts of={of} />}
      {of.examples.length === 0 ? null : <Examples of={of} />}
    </>
  );
}

function Shifts({ of }: { readonly of: Simulation }): JSX.Element {
  const { number, t } = useI18n();
  return (
    <Table
      caption={t('simulationShifts')}
      heads={[t('decisionBefore'), t('decisionAfter'), [t('countOf'), 'number']]}
    >
      {of.shifts.map((one) => (
        <tr key={one.from + one.to}>
          <td>
            <Decision of={one.from} />
          </td>
          <td>
            <Decision of={one.to} />
          </td>
          <td class="number">{number(one.count)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Examples({ of }: { readonly of: Simulation }): JSX.Element {
  const { t } = useI18n();
  return (
    <details>
      <summary>{t('simulationExamples')}</summary>
      <Table
        caption={t('simulationExamples')}
        heads={[t('screeningTitle'), t('colTime'), t('decisionBefore'), t('decisionAfter')]}
      >
        {of.examples.map((one) => (
          <tr key={one.screening_id}>
            <th scope="row">
              <a href={routeTo('screenings', one.screening_id)}>
                <Code text={one.screening_id} />
              </a>
            </th>
            <td>
              <Time at={one.occurred_at} />
            </td>
            <td>
              <Decision of={one.before.decision} />
            </td>
            <td>
              <Decision of={one.after.decision} />
            </td>
          </tr>
        ))}
      </Table>
    </details>
  );
}
