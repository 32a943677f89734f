/**
 * The list of alerts: narrowed by filters, live, and worked on by keys alone. New alerts are counted
 * and shown when they are asked for, so that no row moves under the reader.
 */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAlertPages } from '../alertPages.ts';
import { change } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useKeys } from '../keys.ts';
import { AlertTable } from '../parts/alertTable.tsx';
import { BulkDecision } from '../parts/bulkDecision.tsx';
import { Code } from '../parts/data.tsx';
import { Choice } from '../parts/fields.tsx';
import { Failure, PageFrame } from '../parts/frame.tsx';
import { SavedFilters } from '../parts/savedFilters.tsx';
import { useToast } from '../parts/toast.tsx';
import { ALERT_SEVERITIES, ALERT_STATUSES, useWords } from '../parts/words.tsx';
import { keepQueue } from '../queue.ts';
import { go, type Route, routeTo } from '../router.ts';
import { may, useCaller } from '../session.ts';
import type { Alert } from '../types.ts';

export function AlertsPage({ query }: Pick<Route, 'query'>): JSX.Element {
  const { plural, t } = useI18n();
  const caller = useCaller();
  const toast = useToast();
  const list = useAlertPages(query);
  const [at, setAt] = useState(-1);
  const [selected, setSelected] = useState<ReadonlyMap<string, Alert>>(new Map());
  const [isDeciding, setDeciding] = useState(false);
  const filters = useRef<HTMLFormElement>(null);
  const isWorker = may(caller, 'workOnAlerts');

  useEffect(() => keepQueue(list.ids), []);
  const select = (alert: Alert): void =>
    setSelected((former) => {
      const next = new Map(former);
      if (!next.delete(alert.alert_id)) next.set(alert.alert_id, alert);
      return next;
    });
  const assign = async (): Promise<void> => {
    const row = list.rowAt(at);
    if (row === undefined) return;
    try {
      list.replace(await change<Alert>('POST', `/v1/aml/alerts/${row.alert_id}/assign`, {}));
      toast(t('assignedToMe'));
    } catch (failure) {
      list.fail(failure);
    }
  };
  const current = list.rowAt(at);
  useKeys({
    '/': () => filters.current?.querySelector('select')?.focus(),
    j: () => setAt(Math.min(at + 1, list.count - 1)),
    k: () => setAt(Math.max(at - 1, 0)),
    ...(isWorker && { a: () => void assign() }),
    ...(isWorker && current !== undefined && { x: () => select(current) }),
  });
  const chosen = [...selected.values()];
  return (
    <PageFrame title={t('alertsTitle')}>
      <Filters formRef={filters} query={query} />
      <SavedFilters query={query} />
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
          <button onClick={() => setSelected(new Map())} type="button">
            {t('clearSelection')}
          </button>
        </div>
      )}
      <AlertTable
        at={at}
        isSelectable={isWorker}
        list={list}
        onAt={setAt}
        onSelect={select}
        selected={selected}
      />
      {list.count === 0 && list.error === undefined ? (
        <p>{list.isLoading ? t('loading') : t('nothingFound')}</p>
      ) : null}
      {isDeciding ? (
        <BulkDecision
          alerts={chosen}
          onClose={() => setDeciding(false)}
          onDone={() => {
            setDeciding(false);
            setSelected(new Map());
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
