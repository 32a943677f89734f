/** Backtests of a version: asked for here, and read once a worker is done. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { change, get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Code, Time } from '../../parts/data.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { may, useCaller } from '../../session.ts';
import type { Page } from '../../types.ts';
import { useI18n } from './i18n.ts';
import { type Backtest, type RuleVersion, versionPath } from './types.ts';

const LOOK_EVERY_MS = 1_000;
const DAY_MS = 86_400_000;
const DAYS = ['30', '90', '365'];

export function Backtests({
  of,
  onDone,
}: {
  readonly of: RuleVersion;
  readonly onDone: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const path = versionPath(of);
  const found = useLoad(path, (signal) => get<Page<Backtest>>(`${path}/backtests`, {}, signal));
  const hasWaited = useRef(false);
  const waits = found.data?.data.some(({ status }) => status === 'queued') === true;
  useEffect(() => {
    // With its report a draft is another revision: it is read again, once.
    if (!waits) {
      if (hasWaited.current) onDone();
      hasWaited.current = false;
      return;
    }
    hasWaited.current = true;
    const timer = setTimeout(found.again, LOOK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [found.data]);
  return (
    <section aria-labelledby="backtests">
      <h2 id="backtests">{t('backtests')}</h2>
      <p aria-live="polite">{waits ? t('backtestRuns') : ''}</p>
      {may(caller, 'changeRules') ? <Wanted of={of} onAsked={found.again} /> : null}
      <Ready of={found}>
        {({ data }) => (data.length === 0 ? <p>{t('noBacktests')}</p> : <Reports of={data} />)}
      </Ready>
    </section>
  );
}

function Wanted({
  of,
  onAsked,
}: {
  readonly of: RuleVersion;
  readonly onAsked: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const [days, setDays] = useState('90');
  const { attempt, failure, isBusy } = useAttempt();
  const ask = (): void => {
    attempt(async () => {
      const now = Date.now();
      await change('POST', `${versionPath(of)}/backtest`, {
        from: new Date(now - Number(days) * DAY_MS).toISOString(),
        to: new Date(now).toISOString(),
      });
      onAsked();
      return '';
    });
  };
  return (
    <div class="filters">
      <Choice
        choices={DAYS.map((one) => [one, t('span_days', { count: one })] as const)}
        label={t('period')}
        onChange={setDays}
        value={days}
      />
      <button disabled={isBusy} onClick={ask} type="button">
        {t('askBacktest')}
      </button>
      {failure}
    </div>
  );
}

function Reports({ of }: { readonly of: readonly Backtest[] }): JSX.Element {
  const { number, t } = useI18n();
  return (
    <Table
      caption={t('backtests')}
      heads={[
        t('colAsked'),
        t('period'),
        t('colStatus'),
        [t('colEvaluated'), 'number'],
        [t('colMatched'), 'number'],
        [t('navAlerts'), 'number'],
        [t('colPerDay'), 'number'],
        t('colDifference'),
      ]}
    >
      {of.map(({ backtest_id, failure, from, report, requested_at, status, to }) => (
        <tr key={backtest_id}>
          <td>
            <Time at={requested_at} />
          </td>
          <td>
            <Code text={`${from.slice(0, 10)} – ${to.slice(0, 10)}`} />
          </td>
          <td>
            {t(`backtest_${status}`)}
            {failure === null ? null : <Code text={failure} />}
          </td>
          <td class="number">{report === null ? '–' : number(report.evaluated)}</td>
          <td class="number">{report === null ? '–' : number(report.matched)}</td>
          <td class="number">{report === null ? '–' : number(report.alerts)}</td>
          <td class="number">{report === null ? '–' : number(report.alerts_per_day, 2)}</td>
          <td>
            {report === null || report.difference.base_version === null
              ? '–'
              : t('differs', {
                  base: report.difference.base_version,
                  both: number(report.difference.both),
                  less: number(report.difference.only_old),
                  more: number(report.difference.only_new),
                })}
          </td>
        </tr>
      ))}
    </Table>
  );
}
