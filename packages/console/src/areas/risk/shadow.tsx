/** A policy in shadow: what it would have made of the evaluations since. */
import type { JSX } from 'preact';
import { get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Ready } from '../../parts/frame.tsx';
import { LevelMatrix } from './backtest.tsx';
import { useI18n } from './i18n.ts';
import type { RiskPolicy, Shadow } from './types.ts';

/** Of now while it is in shadow, else of the report that was kept. */
export function ShadowFigures({ of }: { readonly of: RiskPolicy }): JSX.Element | null {
  const { date, t } = useI18n();
  const kept = of.reports.shadow?.report_id;
  const base = `/v1/risk/policies/${of.policy_id}`;
  const path =
    of.status === 'shadow' ? `${base}/shadow-metrics` : `${base}/shadow-reports/${kept ?? ''}`;
  const figures = useLoad(path, (signal) => get<Shadow>(path, {}, signal));
  return (
    <Ready of={figures}>
      {(found) => (
        <section aria-labelledby="shadow">
          <h2 id="shadow">{t('shadowTitle', { at: date(found.since) })}</h2>
          {of.status === 'shadow' ? <Readiness of={found} /> : null}
          <div class="pair">
            <LevelMatrix of={found.confusion} />
            <ShadowFacts of={found} />
          </div>
        </section>
      )}
    </Ready>
  );
}

function Readiness({ of }: { readonly of: Shadow }): JSX.Element {
  const { number, t } = useI18n();
  const { days, evaluations } = of.needed;
  return (
    <>
      <p class={of.ready ? 'notice good' : 'notice'}>
        {of.ready
          ? t('shadowReady')
          : t('shadowNotReady', { days: number(days), evaluations: number(evaluations) })}
      </p>
      {of.complete ? null : (
        <p>{t('shadowCounting', { all: number(of.to_count), done: number(of.counted) })}</p>
      )}
    </>
  );
}

function ShadowFacts({ of }: { readonly of: Shadow }): JSX.Element {
  const { number, percent, t } = useI18n();
  return (
    <Facts
      of={[
        [t('evaluations'), number(of.evaluations)],
        [t('agreement'), percent(of.agreement)],
        [t('psi'), number(of.psi, 3)],
        [t('evaluationErrors'), number(of.errors)],
        [t('latency'), `${number(of.latency_us.p50)} µs · ${number(of.latency_us.p95)} µs`],
        [
          t('overridesFired'),
          of.overrides.length === 0
            ? t('none')
            : of.overrides.map(({ count, id }) => (
                <span class="one-of" key={id}>
                  <Code text={id} /> {number(count)}
                </span>
              )),
        ],
      ]}
    />
  );
}
