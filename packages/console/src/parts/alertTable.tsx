/** Rows of alerts. One row has the keyboard: it is the one that keys act upon. */
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import { routeTo } from '../router.ts';
import type { Alert } from '../types.ts';
import { isolated } from '../visible.ts';
import { Data, Score, Time } from './data.tsx';
import { Table } from './table.tsx';
import { Decision, Severity, Status } from './words.tsx';

export interface AlertTableProps {
  readonly rows: readonly Alert[];
  readonly at: number;
  readonly selected: ReadonlySet<string>;
  readonly isSelectable: boolean;
  readonly onAt: (at: number) => void;
  readonly onSelect: (alertId: string) => void;
}

export function AlertTable({ rows, ...of }: AlertTableProps): JSX.Element {
  const { t } = useI18n();
  const body = useRef<HTMLDivElement>(null);
  const former = useRef(of.at);
  useLayoutEffect(() => {
    // Only when a key moved it: a list that is new takes no focus.
    if (former.current === of.at) return;
    former.current = of.at;
    body.current?.querySelector<HTMLElement>('tr[data-current] a')?.focus();
  }, [of.at]);
  return (
    <div ref={body}>
      <Table
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
      >
        {rows.map((alert, at) => (
          <Row alert={alert} at={at} key={alert.alert_id} of={of} />
        ))}
      </Table>
    </div>
  );
}

interface RowProps {
  readonly alert: Alert;
  readonly at: number;
  readonly of: Omit<AlertTableProps, 'rows'>;
}

/** Drawn again only where something of it has changed: a key moves two rows of two thousand. */
function Row({ alert, at, of }: RowProps): JSX.Element {
  const i18n = useI18n();
  const isCurrent = at === of.at;
  const isSelected = of.selected.has(alert.alert_id);
  return useMemo(
    () => <Drawn alert={alert} at={at} isCurrent={isCurrent} isSelected={isSelected} of={of} />,
    [alert, at, i18n, isCurrent, isSelected, of.isSelectable],
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
    <tr data-current={isCurrent ? '' : undefined}>
      {of.isSelectable ? (
        <td>
          <input
            aria-label={`${t('colSelect')} ${isolated(name)}`}
            checked={isSelected}
            onChange={() => of.onSelect(id)}
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
