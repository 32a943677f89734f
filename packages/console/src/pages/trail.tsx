/** The audit trail: entries of the chain, narrowed by action and actor. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { Code, Time } from '../parts/data.tsx';
import { TextField } from '../parts/fields.tsx';
import { PageFrame, Ready } from '../parts/frame.tsx';
import { Table } from '../parts/table.tsx';
import type { Page, TrailEntry } from '../types.ts';

const PAGE_ROWS = 50;
const HASH_CHARS = 16;

interface Filter {
  readonly actor: string;
  readonly type: string;
}

export function TrailPage(): JSX.Element {
  const { t } = useI18n();
  const [typed, setTyped] = useState<Filter>({ actor: '', type: '' });
  const [filter, setFilter] = useState(typed);
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const page = useLoad(JSON.stringify([filter, cursor]), (signal) =>
    get<Page<TrailEntry>>(
      '/v1/audit/events',
      { ...filter, cursor, limit: PAGE_ROWS, order: 'desc' },
      signal,
    ),
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    setCursors([]);
    setFilter(typed);
  };
  return (
    <PageFrame title={t('trailTitle')}>
      <form aria-label={t('filters')} class="filters" onSubmit={submit}>
        <TextField
          dir="ltr"
          label={t('actionFilter')}
          onInput={(type) => setTyped({ ...typed, type })}
          value={typed.type}
        />
        <TextField
          dir="ltr"
          label={t('actorFilter')}
          onInput={(actor) => setTyped({ ...typed, actor })}
          value={typed.actor}
        />
        <button type="submit">{t('apply')}</button>
      </form>
      <Ready of={page}>
        {({ data, next_cursor }) => (
          <>
            {data.length === 0 ? <p>{t('nothingFound')}</p> : <Rows of={data} />}
            {next_cursor === null ? null : (
              <button onClick={() => setCursors([...cursors, next_cursor])} type="button">
                {t('more')}
              </button>
            )}
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

function Rows({ of }: { readonly of: readonly TrailEntry[] }): JSX.Element {
  const { t } = useI18n();
  return (
    <Table
      caption={t('trailTitle')}
      heads={[
        [t('colSeq'), 'number'],
        t('colTime'),
        t('colAction'),
        t('colActor'),
        t('colTarget'),
        'SHA-256',
      ]}
    >
      {of.map((entry) => (
        <tr key={entry.event_id}>
          <td class="number">{entry.seq}</td>
          <td>
            <Time at={entry.timestamp} />
          </td>
          <td>
            <Code text={entry.action} />
          </td>
          <td>{entry.actor === null ? '–' : <Code text={entry.actor} />}</td>
          <td>{entry.target === null ? '–' : <Code text={entry.target} />}</td>
          <td>
            <Code text={entry.hash.slice(0, HASH_CHARS)} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
