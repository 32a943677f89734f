/** Rules with the version that counts: what is in force, and what is on its way. */
import type { JSX } from 'preact';
import { get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code, Time } from '../../parts/data.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Filters } from '../../parts/filters.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Severity } from '../../parts/words.tsx';
import { go, type Route, routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { RuleState, Said } from './tags.tsx';
import { RULE_STATUSES, RULES, type RulesPage, type RuleVersion } from './types.ts';

export function RuleList({ query }: Pick<Route, 'query'>): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const status = query.status ?? '';
  const found = useLoad(status, (signal) => get<RulesPage>(RULES, { status }, signal));
  return (
    <PageFrame title={t('rulesTitle')}>
      <Filters>
        <Choice
          choices={[
            ['', t('ruleCurrent')],
            ...RULE_STATUSES.map((one) => [one, t(`rule_${one}`)] as const),
          ]}
          label={t('filterStatus')}
          onChange={(one) => go(routeTo('rules', undefined, { status: one }))}
          value={status}
        />
      </Filters>
      {may(caller, 'changeRules') ? (
        <p>
          <a href={routeTo('rules', 'new', { edit: 'first' })}>{t('draftRule')}</a>
        </p>
      ) : null}
      <Ready of={found}>
        {({ data, decided_by_screening }) => (
          <>
            <Rows of={status === '' ? current(data) : data} />
            {status === '' ? <ByScreening of={decided_by_screening} /> : null}
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

/** Of each rule what is in force, and what may come behind it. */
const current = (all: readonly RuleVersion[]): readonly RuleVersion[] =>
  all.filter(({ status }) => status !== 'archived' && status !== 'discarded');

function Rows({ of }: { readonly of: readonly RuleVersion[] }): JSX.Element {
  const { t } = useI18n();
  if (of.length === 0) return <p>{t('nothingFound')}</p>;
  return (
    <Table
      caption={t('rulesTitle')}
      heads={[
        t('colRule'),
        t('colScenario'),
        [t('colVersion'), 'number'],
        t('colStatus'),
        t('colSeverity'),
        t('colTypologies'),
        t('colUpdated'),
      ]}
    >
      {of.map((one) => (
        <tr key={`${one.rule_id}/${one.version}`}>
          <th scope="row">
            <a
              class="nowrap"
              href={routeTo('rules', one.rule_id, { version: String(one.version) })}
            >
              <Code text={one.rule_id} />
            </a>
          </th>
          <td>
            <Said of={one.content.name} />
          </td>
          <td class="number">{one.version}</td>
          <td>
            <RuleState of={one.status} />
            {one.of_pack ? <span class="tag">{t('ofPack')}</span> : null}
          </td>
          <td>
            <Severity of={one.content.severity} />
          </td>
          <td>
            {one.content.typologies.map((name) => (
              <span class="one-of" key={name}>
                <Code text={name} />
              </span>
            ))}
          </td>
          <td>
            <Time at={one.published_at ?? one.updated_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function ByScreening({
  of,
}: {
  readonly of: RulesPage['decided_by_screening'];
}): JSX.Element | null {
  const { t } = useI18n();
  if (of.length === 0) return null;
  return (
    <section aria-labelledby="by-screening">
      <h2 id="by-screening">{t('byScreening')}</h2>
      <Table caption={t('byScreening')} heads={[t('colRule'), t('colScenario'), t('colSeverity')]}>
        {of.map((one) => (
          <tr key={one.rule_id}>
            <th scope="row">
              <Code text={one.rule_id} />
            </th>
            <td>
              <Said of={one.name} />
            </td>
            <td>
              <Severity of={one.severity} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
