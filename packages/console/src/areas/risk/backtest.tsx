/** The report of a backtest: who would have moved, how far, and what became of them. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { download, get } from '../../http.ts';
import { useLoad, useRepeat } from '../../load.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Matrix } from '../../parts/charts.tsx';
import { Code, Time } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { useI18n } from './i18n.ts';
import type { Backtest, Confusion, Mover, Recall } from './types.ts';
import { useRiskWords } from './useWords.ts';

/** Parts of a point in which scores are counted. */
const UNIT = 10_000;

export function BacktestReport({
  btrId,
  onEnd,
  policyId,
}: {
  readonly btrId: string;
  /** It was under way, and is no more. */
  readonly onEnd: () => void;
  readonly policyId: string;
}): JSX.Element {
  const { percent, t } = useI18n();
  const path = `/v1/risk/policies/${policyId}/backtest-reports/${btrId}`;
  const report = useLoad(path, (signal) => get<Backtest>(path, {}, signal));
  const status = report.data?.status;
  useRepeat(report, status === 'queued');
  useEffect(() => {
    if (status === 'queued') return () => onEnd();
    return undefined;
  }, [status]);
  return (
    <Ready of={report}>
      {(found) => {
        if (found.status === 'failed') return <p class="notice bad">{t('backtestFailed')}</p>;
        if (found.status === 'ready') return <Report of={found} path={path} />;
        return (
          <p aria-live="polite" class="notice">
            {t('backtestQueued')}{' '}
            <progress
              aria-label={`${t('colProgress')} ${percent(found.progress ?? 0)}`}
              max={1}
              value={found.progress ?? 0}
            />
          </p>
        );
      }}
    </Ready>
  );
}

function Report({ of, path }: { readonly of: Backtest; readonly path: string }): JSX.Element {
  const { language, t } = useI18n();
  const { attempt, failure } = useAttempt();
  return (
    <>
      {of.warnings?.includes('unrepresentative') ? (
        <p class="notice">{t('unrepresentative')}</p>
      ) : null}
      <div class="pair">
        {of.confusion === undefined ? null : <LevelMatrix of={of.confusion} />}
        <Figures of={of} />
      </div>
      <div class="pair">
        <Movers of={of.movers?.up ?? []} title={t('moversUp')} />
        <Movers of={of.movers?.down ?? []} title={t('moversDown')} />
      </div>
      <Outcomes of={of} />
      {failure}
      <button
        onClick={() =>
          attempt(async () => {
            await download(`${path}/pdf`, `backtest-${of.btr_id}-${language}.pdf`, {
              lang: language,
            });
            return '';
          })
        }
        type="button"
      >
        {t('asPdf')}
      </button>
    </>
  );
}

export function LevelMatrix({ of }: { readonly of: Confusion }): JSX.Element {
  const { t } = useI18n();
  const words = useRiskWords();
  return (
    <section>
      <h3>{t('matrixTitle')}</h3>
      <Matrix
        caption={t('matrixTitle')}
        cells={of.cells}
        columnsAre={t('levelAfter')}
        labels={of.levels.map(words.level)}
        rowsAre={t('levelBefore')}
      />
    </section>
  );
}

function Figures({ of }: { readonly of: Backtest }): JSX.Element | null {
  const { number, percent, t } = useI18n();
  const words = useRiskWords();
  const { metrics, population } = of;
  if (metrics === undefined || population === undefined) return null;
  return (
    <Facts
      of={[
        [t('backtestOf'), number(population.cases)],
        [
          t('backtestFromTo'),
          <>
            <Time at={population.from} /> – <Time at={population.to} />
          </>,
        ],
        [t('agreement'), percent(metrics.agreement)],
        [t('upgrades'), number(metrics.upgrades)],
        [t('downgrades'), number(metrics.downgrades)],
        [
          t('highShare'),
          `${percent(metrics.high_share_before)} → ${percent(metrics.high_share_after)}`,
        ],
        [t('meanShift'), number(metrics.mean_shift, 2)],
        [t('kappa'), metrics.kappa === null ? t('none') : number(metrics.kappa, 2)],
        [t('psi'), `${number(metrics.psi_levels, 3)} · ${words.psi(metrics.psi_verdict)}`],
        [t('baselineMismatch'), number(metrics.baseline_mismatch)],
      ]}
    />
  );
}

function Movers({
  of,
  title,
}: {
  readonly of: readonly Mover[];
  readonly title: string;
}): JSX.Element {
  const { number, t } = useI18n();
  const words = useRiskWords();
  return (
    <section>
      <h3>{title}</h3>
      {of.length === 0 ? (
        <p>{t('none')}</p>
      ) : (
        <Table
          caption={title}
          heads={[t('evaluation'), t('levelBefore'), t('levelAfter'), [t('shift'), 'number']]}
        >
          {of.map((mover) => (
            <tr key={mover.evaluation_id}>
              <th scope="row">
                <Code text={mover.evaluation_id} />
              </th>
              <td>{words.level(mover.from)}</td>
              <td>{words.level(mover.to)}</td>
              <td class="number">{number(mover.shift / UNIT, 2)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Outcomes({ of }: { readonly of: Backtest }): JSX.Element | null {
  const { number, percent, t } = useI18n();
  const words = useRiskWords();
  const found = of.outcomes?.found ?? [];
  if (found.length === 0) return null;
  const share = (recall: Recall | null): string =>
    recall === null
      ? '–'
      : `${percent(recall.share)} (${percent(recall.low)} – ${percent(recall.high)})`;
  return (
    <section>
      <h3>{t('outcomesTitle')}</h3>
      <Table
        caption={t('outcomesTitle')}
        heads={[
          t('colVerdict'),
          [t('cases'), 'number'],
          [t('levelBefore'), 'number'],
          [t('levelAfter'), 'number'],
        ]}
      >
        {found.map((one) => (
          <tr key={one.outcome}>
            <th scope="row">{words.outcome(one.outcome)}</th>
            <td class="number">{number(one.cases)}</td>
            <td class="number">{share(one.recall_before)}</td>
            <td class="number">{share(one.recall_after)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
