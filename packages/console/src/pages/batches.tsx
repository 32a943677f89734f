/** Batches, latest first, with how far each one is. */
import type { JSX } from 'preact';
import { get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { Code, Data, Time } from '../parts/data.tsx';
import { PageFrame, Ready } from '../parts/frame.tsx';
import { Table } from '../parts/table.tsx';
import type { Batch, Page } from '../types.ts';

export function BatchesPage(): JSX.Element {
  const { number, percent, t } = useI18n();
  const page = useLoad('batches', (signal) => get<Page<Batch>>('/v1/aml/batches', {}, signal));
  return (
    <PageFrame title={t('batchesTitle')}>
      <Ready of={page}>
        {({ data }) =>
          data.length === 0 ? (
            <p>{t('nothingHere')}</p>
          ) : (
            <Table
              caption={t('batchesTitle')}
              heads={[
                t('colName'),
                t('colStatus'),
                t('colProgress'),
                [t('colSubjects'), 'number'],
                [t('colMatches'), 'number'],
                [t('colHits'), 'number'],
                t('colAsked'),
              ]}
            >
              {data.map((batch) => (
                <tr key={batch.batch_id}>
                  <th scope="row">
                    <Data text={batch.name} />
                  </th>
                  <td>
                    <Code text={batch.status} />
                  </td>
                  <td>
                    <progress
                      aria-label={`${t('colProgress')} ${percent(batch.progress_pct / 100)}`}
                      max={100}
                      value={batch.progress_pct}
                    />{' '}
                    {percent(batch.progress_pct / 100)}
                  </td>
                  <td class="number">{number(batch.subjects_total)}</td>
                  <td class="number">{number(batch.subjects_with_hits)}</td>
                  <td class="number">{number(batch.hits_total)}</td>
                  <td>
                    <Time at={batch.requested_at} />
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
