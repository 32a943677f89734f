/** The lists in force: version, size, age, and what the last version changed. */
import type { JSX } from 'preact';
import { get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { Code, Data, Time } from '../parts/data.tsx';
import { PageFrame, Ready } from '../parts/frame.tsx';
import { Table } from '../parts/table.tsx';
import type { ListInForce, Page } from '../types.ts';

const DAY_S = 86_400;

export function ListsPage(): JSX.Element {
  const { number, plural, t } = useI18n();
  const page = useLoad('lists', (signal) =>
    get<Page<ListInForce>>('/v1/sanctions/lists', {}, signal),
  );
  return (
    <PageFrame title={t('listsTitle')}>
      <Ready of={page}>
        {({ data }) =>
          data.length === 0 ? (
            <p>{t('nothingHere')}</p>
          ) : (
            <Table
              caption={t('listsTitle')}
              heads={[
                t('colSource'),
                t('colVersion'),
                [t('colEntries'), 'number'],
                [t('colNames'), 'number'],
                t('colAge'),
                t('colChangeLast'),
                t('colNextFire'),
                t('colUsed'),
              ]}
            >
              {data.map((list) => (
                <tr key={list.source_id}>
                  <th scope="row">
                    <Data text={list.source_id} />
                  </th>
                  <td>
                    <Code text={list.list_version} />
                  </td>
                  <td class="number">{number(list.entity_count)}</td>
                  <td class="number">{number(list.name_count)}</td>
                  <td>{plural('daysOld', Math.floor(list.age_s / DAY_S))}</td>
                  <td>
                    {list.last_change === null ? (
                      '–'
                    ) : (
                      <Code
                        text={`+${list.last_change.added} ~${list.last_change.updated} −${list.last_change.removed}`}
                      />
                    )}
                  </td>
                  <td>
                    <Time at={list.next_fire_at} />
                  </td>
                  <td>{t(list.enabled_by_policy ? 'yes' : 'no')}</td>
                </tr>
              ))}
            </Table>
          )
        }
      </Ready>
    </PageFrame>
  );
}
