/** Changes that wait for a second signature. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { Code, Data, Time } from '../parts/data.tsx';
import { Choice } from '../parts/fields.tsx';
import { PageFrame, Ready } from '../parts/frame.tsx';
import { Table } from '../parts/table.tsx';
import { STATES, useWords } from '../parts/words.tsx';
import { routeTo } from '../router.ts';
import type { Approval, Page } from '../types.ts';

export function ApprovalsPage(): JSX.Element {
  const { t } = useI18n();
  const words = useWords();
  const [state, setState] = useState('open');
  const page = useLoad(state, (signal) => get<Page<Approval>>('/v1/approvals', { state }, signal));
  return (
    <PageFrame title={t('approvalsTitle')}>
      <form aria-label={t('filters')} class="filters">
        <Choice
          choices={[
            ['', t('all')],
            ...Object.keys(STATES).map((one) => [one, words.state(one)] as const),
          ]}
          label={t('approvalState')}
          onChange={setState}
          value={state}
        />
      </form>
      <Ready of={page}>
        {({ data }) =>
          data.length === 0 ? (
            <p>{t('nothingHere')}</p>
          ) : (
            <Table
              caption={t('approvalsTitle')}
              heads={[
                t('colChange'),
                t('reason'),
                t('approvalState'),
                t('author'),
                t('colAsked'),
                t('colEnds'),
              ]}
            >
              {data.map((one) => (
                <tr key={one.approval_id}>
                  <th scope="row">
                    <a href={routeTo('approvals', one.approval_id)}>
                      <Code text={`${one.resource} · ${one.field}`} />
                    </a>
                  </th>
                  <td>
                    <Data text={one.reason} />
                  </td>
                  <td>{words.state(one.state)}</td>
                  <td>
                    <Code text={one.author} />
                  </td>
                  <td>
                    <Time at={one.requested_at} />
                  </td>
                  <td>
                    <Time at={one.expires_at} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Ready>
    </PageFrame>
  );
}
