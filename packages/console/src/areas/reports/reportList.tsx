/** Reports that exist for the caller, latest first: nothing of what they say stands here. */
import type { JSX } from 'preact';
import { Code, Time } from '../../parts/data.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Filters } from '../../parts/filters.tsx';
import { PageFrame } from '../../parts/frame.tsx';
import { Listed, useRows } from '../../parts/rows.tsx';
import { Table } from '../../parts/table.tsx';
import { go, type Route, routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { ReportExample } from './reportExample.tsx';
import { ReportState } from './tags.tsx';
import { REPORTS, type ReportRow, STATUSES } from './types.ts';

const PAGE_ROWS = 50;

export function ReportList({ query }: Pick<Route, 'query'>): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const status = query.status ?? '';
  const list = useRows<ReportRow>(REPORTS, { limit: PAGE_ROWS, status });
  const mayDraft = may(caller, 'draftReports');
  return (
    <PageFrame title={t('reportsTitle')}>
      <Filters>
        <Choice
          choices={[['', t('all')], ...STATUSES.map((one) => [one, t(`report_${one}`)] as const)]}
          label={t('filterStatus')}
          onChange={(one) => go(routeTo('reports', undefined, { status: one }))}
          value={status}
        />
      </Filters>
      {mayDraft ? (
        <p>
          <a href={routeTo('reports', 'new')}>{t('draftReport')}</a>
        </p>
      ) : null}
      <Listed empty={<p>{t(status === '' ? 'nothingHere' : 'nothingFound')}</p>} of={list}>
        {(rows) => (
          <Table
            caption={t('reportsTitle')}
            heads={[
              t('colReport'),
              t('colStatus'),
              t('colProfile'),
              t('colMade'),
              t('colUpdated'),
              t('colSubmitted'),
            ]}
          >
            {rows.map((row) => (
              <tr key={row.str_id}>
                <th scope="row">
                  <a href={routeTo('reports', row.str_id)}>
                    <Code text={`${row.report_code} ${row.str_id.slice(-ID_CHARS)}`} />
                  </a>
                </th>
                <td>
                  <ReportState of={row.status} />
                </td>
                <td>
                  <Code text={row.profile} />
                </td>
                <td>
                  <Time at={row.created_at} />
                </td>
                <td>
                  <Time at={row.updated_at} />
                </td>
                <td>
                  <Time at={row.submitted_at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
      {mayDraft && caller.tenant.kind === 'sandbox' ? <ReportExample /> : null}
    </PageFrame>
  );
}

/** The end of an id tells reports of one day apart. */
const ID_CHARS = 12;
