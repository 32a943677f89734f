/** Cases of the tenant, latest first: nothing of the persons stands here. */
import type { JSX } from 'preact';
import { Data, Time } from '../../parts/data.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Filters } from '../../parts/filters.tsx';
import { PageFrame } from '../../parts/frame.tsx';
import { Listed, useRows } from '../../parts/rows.tsx';
import { Table } from '../../parts/table.tsx';
import { Who } from '../../parts/who.tsx';
import { go, type Route, routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { CaseExamples } from './examples.tsx';
import { useI18n } from './i18n.ts';
import { CaseState, TierTag } from './tags.tsx';
import { CASES, type CaseRow, STATUSES, TIERS } from './types.ts';

const PAGE_ROWS = 50;

export function CaseList({ query }: Pick<Route, 'query'>): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const { actor } = caller.person;
  const { assignee, risk_tier, status } = query;
  const list = useRows<CaseRow>(CASES, {
    assignee: assignee === 'me' ? actor : assignee,
    limit: PAGE_ROWS,
    risk_tier,
    status,
  });
  const isNarrowed = [assignee, risk_tier, status].some((one) => one !== undefined && one !== '');
  const isSandbox = caller.tenant.kind === 'sandbox';
  return (
    <PageFrame title={t('casesTitle')}>
      <CaseFilters query={query} />
      <Listed empty={<p>{t(isNarrowed ? 'nothingFound' : 'nothingHere')}</p>} of={list}>
        {(rows) => (
          <Table
            caption={t('casesTitle')}
            heads={[
              t('colReference'),
              t('colStatus'),
              t('colTier'),
              t('type'),
              t('colAssignee'),
              t('colUpdated'),
            ]}
          >
            {rows.map((row) => (
              <Row key={row.case_id} of={row} />
            ))}
          </Table>
        )}
      </Listed>
      {isSandbox && may(caller, 'workOnCases') ? <CaseExamples onDone={list.again} /> : null}
    </PageFrame>
  );
}

function Row({ of }: { readonly of: CaseRow }): JSX.Element {
  const { t } = useI18n();
  return (
    <tr>
      <th scope="row">
        <a href={routeTo('cases', of.case_id)}>
          <Data text={of.external_ref} />
        </a>
      </th>
      <td>
        <CaseState of={of.status} />
      </td>
      <td>
        <TierTag of={of.risk_tier} />
      </td>
      <td>{t(`type_${of.subject_type}`)}</td>
      <td>
        {of.assignee === null ? (
          <span class="muted">{t('none')}</span>
        ) : (
          <Who actor={of.assignee} />
        )}
      </td>
      <td>
        <Time at={of.updated_at} />
      </td>
    </tr>
  );
}

function CaseFilters({ query }: Pick<Route, 'query'>): JSX.Element {
  const { t } = useI18n();
  const set = (part: Record<string, string>): void =>
    go(routeTo('cases', undefined, { ...query, ...part }));
  return (
    <Filters>
      <Choice
        choices={[['', t('all')], ...STATUSES.map((one) => [one, t(`status_${one}`)] as const)]}
        label={t('filterStatus')}
        onChange={(status) => set({ status })}
        value={query.status ?? ''}
      />
      <Choice
        choices={[['', t('all')], ...TIERS.map((one) => [one, t(`tier_${one}`)] as const)]}
        label={t('colTier')}
        onChange={(risk_tier) => set({ risk_tier })}
        value={query.risk_tier ?? ''}
      />
      <Choice
        choices={[
          ['', t('anyone')],
          ['me', t('me')],
        ]}
        label={t('filterAssignee')}
        onChange={(assignee) => set({ assignee })}
        value={query.assignee ?? ''}
      />
    </Filters>
  );
}
