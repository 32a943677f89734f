/** One version of a rule: what it says, what it would raise, and who puts it into force. */
import type { JSX } from 'preact';
import { get } from '../../http.ts';
import { type Loaded, useLoad } from '../../load.ts';
import { Code, Data, Json, Time } from '../../parts/data.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { Who } from '../../parts/who.tsx';
import { Severity } from '../../parts/words.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { RuleActions } from './ruleActions.tsx';
import { Backtests } from './ruleBacktests.tsx';
import { DryRunOnLog } from './ruleDryRun.tsx';
import { ShadowFigures } from './ruleShadow.tsx';
import { RuleText } from './ruleText.tsx';
import { RuleState, Said } from './tags.tsx';
import { isOpen, RULES, type RulesPage, type RuleVersion } from './types.ts';

interface Versions {
  readonly all: readonly RuleVersion[];
  readonly shown: RuleVersion | undefined;
}

export function RulePage({
  id,
  version,
}: {
  readonly id: string;
  readonly version: string | undefined;
}): JSX.Element {
  const { t } = useI18n();
  const found = useLoad(`${id}/${version ?? ''}`, async (signal): Promise<Versions> => {
    const { data } = await get<RulesPage>(RULES, { rule_id: id }, signal);
    const named = data.find((one) => String(one.version) === version);
    const shown = version === undefined ? (data.find(isOpen) ?? data[0]) : named;
    return { all: data, shown };
  });
  return (
    <PageFrame title={t('ruleTitle')}>
      <p class="ways">
        <a href={routeTo('rules')}>{t('backToRules')}</a>
      </p>
      <Ready of={found}>
        {({ all, shown }) =>
          shown === undefined ? (
            <p>{t('noSuchRule')}</p>
          ) : (
            <Detail all={all} key={`${shown.version}`} of={shown} reading={found} />
          )
        }
      </Ready>
    </PageFrame>
  );
}

function Detail({
  all,
  of,
  reading,
}: {
  readonly all: readonly RuleVersion[];
  readonly of: RuleVersion;
  readonly reading: Loaded<Versions>;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const hasShadow = of.status === 'shadow' || of.status === 'PENDING_APPROVAL';
  return (
    <>
      <Summary of={of} />
      <div class="triage">
        <div>
          <RuleText of={of.content} />
          {hasShadow ? <ShadowFigures of={of} /> : null}
          <Backtests of={of} onDone={reading.again} />
          {may(caller, 'changeRules') && may(caller, 'readTransactions') ? (
            <DryRunOnLog of={of} />
          ) : null}
          <details>
            <summary>{t('ruleDocument')}</summary>
            <Json label={t('ruleDocument')} value={of.content} />
          </details>
        </div>
        <aside aria-label={t('ruleActions')}>
          <RuleActions all={all} key={of.etag} of={of} onChanged={reading.again} />
          <AllVersions all={all} of={of} />
        </aside>
      </div>
    </>
  );
}

function Summary({ of }: { readonly of: RuleVersion }): JSX.Element {
  const { t } = useI18n();
  return (
    <div class="panel">
      <p class="headline">
        <Severity of={of.content.severity} /> <RuleState of={of.status} />{' '}
        <strong>
          <Said of={of.content.name} />
        </strong>
      </p>
      <p>
        <Code text={`${of.rule_id} · ${of.version}`} />
        {of.published_at === null ? null : (
          <>
            {' · '}
            {t('inForceSince')} <Time at={of.published_at} />
          </>
        )}
      </p>
      <p>
        {t('why')}: <Data text={of.justification} /> · <Who actor={of.updated_by} /> ·{' '}
        <Time at={of.updated_at} />
      </p>
      {of.signatures.map((one) => (
        <p key={one.signer}>
          {t('signedBy')} <Who actor={one.signer} /> · <Time at={one.timestamp} />
        </p>
      ))}
      {of.signed_until === null ? null : (
        <p class="notice">
          {t('waitsForSecond')} <Time at={of.signed_until} />
        </p>
      )}
    </div>
  );
}

function AllVersions({
  all,
  of,
}: {
  readonly all: readonly RuleVersion[];
  readonly of: RuleVersion;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">{t('versions')}</h2>
      <ul class="plain">
        {all.map((one) => (
          <li key={one.version}>
            <a
              aria-current={one.version === of.version ? 'true' : undefined}
              href={routeTo('rules', one.rule_id, { version: String(one.version) })}
            >
              {t('versionNumber', { version: one.version })}
            </a>{' '}
            <RuleState of={one.status} />
          </li>
        ))}
      </ul>
    </section>
  );
}
