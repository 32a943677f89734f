/** Rows of alerts. One row has the keyboard: it is the one that keys act upon. */
import { Fragment, type JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { AlertList } from '../alertPages.ts';
import { useI18n } from '../i18n/index.ts';
import { routeTo } from '../router.ts';
import type { Alert } from '../types.ts';
import { isolated } from '../visible.ts';
import { Data, Score, Time } from './data.tsx';
import { Table } from './table.tsx';
import { useWindowing } from './windowing.ts';
import { Decision, Severity, Status } from './words.tsx';

export interface AlertTableProps {
  readonly list: Pick<AlertList, 'count' | 'hasMore' | 'rowAt' | 'see'>;
  readonly at: number;
  readonly selected: ReadonlyMap<string, Alert>;
  readonly isSelectable: boolean;
  readonly onAt: (at: number) => void;
  readonly onSelect: (alert: Alert) => void;
}

/** Of a list of any length: only rows that are seen are drawn, and what stands around them. */
export function AlertTable({ list, ...of }: AlertTableProps): JSX.Element {
  const { t } = useI18n();
  const { count, hasMore } = list;
  const { body, drawn, rowPx, span } = useWindowing(count, of.at);
  const former = useRef(of.at);
  const isHeld = list.rowAt(of.at) !== undefined;
  useLayoutEffect(() => {
    // Only when a key moved it: a list that is new takes no focus.
    if (former.current === of.at) return;
    const row = body.current?.querySelector('tr[data-current]');
    row?.scrollIntoView({ block: 'nearest' });
    const link = row?.querySelector('a');
    // Its page is read again once it is in the window: the focus follows when it is there.
    if (link == null) return;
    former.current = of.at;
    link.focus({ preventScroll: true });
  }, [of.at, isHeld]);
  useEffect(() => list.see(span.first, span.last), [count, span]);
  return (
    <Table
      body={body}
      caption={t('alertsTitle')}
      heads={[
        ...(of.isSelectable ? [t('colSelect')] : []),
        t('colSeverity'),
        t('colSubject'),
        t('colTypology'),
        [t('colScore'), 'number'],
        t('colSource'),
        t('colStatus'),
        t('colDue'),
      ]}
      rowCount={hasMore ? -1 : count + 1}
    >
      {drawn.map((at, place) => (
        <Fragment key={at}>
          <Gap rows={at - (drawn[place - 1] ?? -1) - 1} rowPx={rowPx} />
          <Row alert={list.rowAt(at)} at={at} of={of} />
        </Fragment>
      ))}
      <Gap rows={count - (drawn.at(-1) ?? -1) - 1} rowPx={rowPx} />
    </Table>
  );
}

/** Stands for rows that are not drawn. */
function Gap({
  rowPx,
  rows,
}: {
  readonly rowPx: number;
  readonly rows: number;
}): JSX.Element | null {
  if (rows <= 0) return null;
  return (
    <tr class="gap">
      <td colSpan={8} style={{ blockSize: `${rows * rowPx}px` }} />
    </tr>
  );
}

interface RowProps {
  readonly alert: Alert;
  readonly at: number;
  readonly of: Omit<AlertTableProps, 'list'>;
}

/** Drawn again only where something of it has changed: a key moves two rows. */
function Row({ alert, at, of }: Omit<RowProps, 'alert'> & { readonly alert: Alert | undefined }) {
  const i18n = useI18n();
  const isCurrent = at === of.at;
  const isSelected = alert !== undefined && of.selected.has(alert.alert_id);
  return useMemo(
    () =>
      alert === undefined ? (
        <Coming at={at} isCurrent={isCurrent} />
      ) : (
        <Drawn alert={alert} at={at} isCurrent={isCurrent} isSelected={isSelected} of={of} />
      ),
    [alert, at, i18n, isCurrent, isSelected, of.isSelectable],
  );
}

/** Its page is read again. */
function Coming({ at, isCurrent }: { readonly at: number; readonly isCurrent: boolean }) {
  const { t } = useI18n();
  return (
    <tr aria-rowindex={at + 2} class="row" data-current={isCurrent ? '' : undefined}>
      <td class="muted" colSpan={8}>
        {t('coming')}
      </td>
    </tr>
  );
}

function Drawn({
  alert,
  at,
  isCurrent,
  isSelected,
  of,
}: RowProps & { readonly isCurrent: boolean; readonly isSelected: boolean }): JSX.Element {
  const { t } = useI18n();
  const id = alert.alert_id;
  const name = alert.subject.erased ? t('erased') : (alert.subject.name ?? t('unknown'));
  return (
    <tr aria-rowindex={at + 2} class="row" data-current={isCurrent ? '' : undefined}>
      {of.isSelectable ? (
        <td>
          <input
            aria-label={`${t('colSelect')} ${isolated(name)}`}
            checked={isSelected}
            onChange={() => of.onSelect(alert)}
            type="checkbox"
          />
        </td>
      ) : null}
      <td>
        <Severity of={alert.severity} />
      </td>
      <td>
        <a href={routeTo('alerts', id)} onFocus={() => of.onAt(at)}>
          <Data text={name} />
        </a>
      </td>
      <td>
        <Decision of={alert.typology} />
      </td>
      <td class="number">
        <Score value={alert.score} />
      </td>
      <td>
        <Data text={alert.source} />
      </td>
      <td>
        <Status of={alert.status} />
        {alert.proposal === null ? null : <span class="tag">{t('exclusionProposed')}</span>}
      </td>
      <td>
        <Time at={alert.due_at} />
        {alert.sla_breached ? <strong class="late"> {t('overdue')}</strong> : null}
      </td>
    </tr>
  );
}
