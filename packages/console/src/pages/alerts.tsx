/**
 * The list of alerts: narrowed by filters, live, and worked on by keys alone. New alerts are counted
 * and shown when they are asked for, so that no row moves under the reader.
 */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { change, get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useKeys } from '../keys.ts';
import { AlertTable } from '../parts/alertTable.tsx';
import { BulkDecision } from '../parts/bulkDecision.tsx';
import { Code } from '../parts/data.tsx';
import { Choice } from '../parts/fields.tsx';
import { Failure, PageFrame } from '../parts/frame.tsx';
import { useToast } from '../parts/toast.tsx';
import { ALERT_SEVERITIES, ALERT_STATUSES, useWords } from '../parts/words.tsx';
import { keepQueue } from '../queue.ts';
import { go, type Route, routeTo } from '../router.ts';
import { may, useCaller } from '../session.ts';
import { followAlerts } from '../stream.ts';
import type { Alert, AlertsPage as PageOfAlerts } from '../types.ts';

const PAGE_ROWS = 100;
/** Rows that are held; who wants more narrows the filters. */
const ROWS_MAX = 2_000;

export function AlertsPage({ query }: Pick<Route, 'query'>): JSX.Element {
  const { plural, t } = useI18n();
  const caller = useCaller();
  const toast = useToast();
  const list = useAlerts(query);
  const [at, setAt] = useState(-1);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isDeciding, setDeciding] = useState(false);
  const filters = useRef<HTMLFormElement>(null);
  const { rows } = list;
  const isWorker = may(caller, 'workOnAlerts');

  useEffect(() => keepQueue(rows.map(({ alert_id }) => alert_id)), [rows]);
  const select = (id: string): void =>
    setSelected((former) => {
      const next = new Set(former);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const assign = async (): Promise<void> => {
    const row = rows[at];
    if (row === undefined) return;
    try {
      list.replace(await change<Alert>('POST', `/v1/aml/alerts/${row.alert_id}/assign`, {}));
      toast(t('assignedToMe'));
    } catch (failure) {
      list.fail(failure);
    }
  };
  const current = rows[at]?.alert_id;
  useKeys({
    '/': () => filters.current?.querySelector('select')?.focus(),
    j: () => setAt(Math.min(at + 1, rows.length - 1)),
    k: () => setAt(Math.max(at - 1, 0)),
    ...(isWorker && { a: () => void assign() }),
    ...(isWorker && current !== undefined && { x: () => select(current) }),
  });
  const chosen = rows.filter(({ alert_id }) => selected.has(alert_id));
  return (
    <PageFrame title={t('alertsTitle')}>
      <Filters formRef={filters} query={query} />
      <p aria-live="polite" class="news">
        {list.newCount === 0 ? null : (
          <button onClick={list.again} type="button">
            {plural('newAlerts', list.newCount)}
          </button>
        )}
      </p>
      {list.error === undefined ? null : <Failure error={list.error} onAgain={list.again} />}
      {list.altered.length === 0 ? null : (
        <div class="notice bad" role="alert">
          <p>{t('altered')}</p>
          {list.altered.map((id) => (
            <p key={id}>
              <Code text={id} />
            </p>
          ))}
        </div>
      )}
      {chosen.length === 0 ? null : (
        <div class="bar">
          <span>{plural('selected', chosen.length)}</span>
          <button class="primary" onClick={() => setDeciding(true)} type="button">
            {t('decideSelected')}
          </button>
          <button onClick={() => setSelected(new Set())} type="button">
            {t('clearSelection')}
          </button>
        </div>
      )}
      <AlertTable
        at={at}
        isSelectable={isWorker}
        onAt={setAt}
        onSelect={select}
        rows={rows}
        selected={selected}
      />
      {rows.length === 0 && list.error === undefined ? (
        <p>{list.isLoading ? t('loading') : t('nothingFound')}</p>
      ) : null}
      {list.hasMore && rows.length < ROWS_MAX ? (
        <button disabled={list.isLoading} onClick={list.more} type="button">
          {t('more')}
        </button>
      ) : null}
      {isDeciding ? (
        <BulkDecision
          alerts={chosen}
          onClose={() => setDeciding(false)}
          onDone={() => {
            setDeciding(false);
            setSelected(new Set());
            list.again();
          }}
        />
      ) : null}
    </PageFrame>
  );
}

function Filters({
  formRef,
  query,
}: {
  readonly formRef: { current: HTMLFormElement | null };
  readonly query: Route['query'];
}): JSX.Element {
  const { t } = useI18n();
  const words = useWords();
  const set = (part: Record<string, string>): void =>
    go(routeTo('alerts', undefined, { ...query, ...part }));
  return (
    <form aria-label={t('filters')} class="filters" ref={formRef}>
      <Choice
        choices={[
          ['', t('all')],
          ...ALERT_STATUSES.map((one) => [one, words.status(one)] as const),
        ]}
        label={t('filterStatus')}
        onChange={(status) => set({ status })}
        value={query.status ?? ''}
      />
      <Choice
        choices={[
          ['', t('all')],
          ...ALERT_SEVERITIES.map((one) => [one, words.severity(one)] as const),
        ]}
        label={t('filterSeverity')}
        onChange={(severity) => set({ severity })}
        value={query.severity ?? ''}
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
      <Choice
        choices={[
          ['', t('all')],
          ['breached', t('slaBreached')],
          ['kept', t('slaKept')],
        ]}
        label={t('filterSla')}
        onChange={(sla) => set({ sla })}
        value={query.sla ?? ''}
      />
    </form>
  );
}

interface AlertList {
  readonly rows: readonly Alert[];
  readonly altered: readonly string[];
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** Alerts that came since the list was read. */
  readonly newCount: number;
  again(): void;
  more(): void;
  replace(alert: Alert): void;
  fail(error: unknown): void;
}

interface Held {
  readonly rows: readonly Alert[];
  readonly altered: readonly string[];
  readonly cursor: string | null;
}

const NOTHING: Held = { altered: [], cursor: null, rows: [] };

function useAlerts(query: Route['query']): AlertList {
  const [held, setHeld] = useState<Held>(NOTHING);
  const [error, setError] = useState<unknown>();
  const [isLoading, setLoading] = useState(true);
  const [news, setNews] = useState<ReadonlySet<string>>(new Set());
  const [round, setRound] = useState(0);
  const key = JSON.stringify(query);

  const read = async (cursor: string | null, signal?: AbortSignal): Promise<void> => {
    setLoading(true);
    try {
      const asked = { ...query, limit: PAGE_ROWS, ...(cursor !== null && { cursor }) };
      const page = await get<PageOfAlerts>('/v1/aml/alerts', asked, signal);
      setHeld((former) => ({
        altered: page.altered,
        cursor: page.next_cursor,
        rows: cursor === null ? page.data : [...former.rows, ...page.data],
      }));
      setError(undefined);
    } catch (failure) {
      if (signal?.aborted !== true) setError(failure);
    } finally {
      setLoading(false);
    }
  };
  const replace = (alert: Alert): void =>
    setHeld((former) => ({
      ...former,
      rows: former.rows.map((row) => (row.alert_id === alert.alert_id ? alert : row)),
    }));
  useEffect(() => {
    const ending = new AbortController();
    setNews(new Set());
    void read(null, ending.signal);
    void followAlerts(ending.signal, ({ alert, kind }) => {
      if (kind === 'aml.alert') setNews((former) => new Set([...former, alert.alert_id]));
      else replace(alert);
    });
    return () => ending.abort();
  }, [key, round]);
  return {
    ...held,
    again: () => setRound((count) => count + 1),
    error,
    fail: setError,
    hasMore: held.cursor !== null,
    isLoading,
    more: () => void read(held.cursor),
    newCount: news.size,
    replace,
  };
}
