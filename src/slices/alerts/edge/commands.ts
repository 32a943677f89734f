/** `alert list`, `alert show`: what waits for people, and what became of it; and work on it. */
import { DomainError, type TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  ALERT_STATUSES,
  type Alert,
  type AlertStatus,
  findAlert,
  needsSecond,
  notesOf,
  readAlerts,
  SEVERITIES,
  type Severity,
  subjectOf,
} from '#slices/alerts';
import { EXIT } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCommand } from '../../processes.ts';
import { alertPartsOf } from './parts.ts';
import { presentAll } from './presentAll.ts';
import { presentDetail } from './presentation.ts';
import { ALERT, readWord, workCommands } from './workCommands.ts';

const SHOWN_ALERTS = 50;

export { checks } from './checks.ts';

export const commands: readonly SliceCommand[] = [
  {
    words: 'alert list',
    summary: `Show the last ${SHOWN_ALERTS} alerts`,
    options: [
      TENANT,
      { name: 'status', value: 'STATUS', help: ALERT_STATUSES.join(', ') },
      { name: 'severity', value: 'SEVERITY', help: SEVERITIES.join(', ') },
    ],
    example: 'alert list --tenant 0190… --status open',
    async run({ open, output }, given) {
      const tenantId = given.value('tenant') as TenantId;
      const status = readWord('status', ALERT_STATUSES, given.optional('status'));
      const severity = readWord('severity', SEVERITIES, given.optional('severity'));
      const parts = alertPartsOf(await open());
      const { alerts } = await readAlerts(parts, {
        filter: {
          ...(severity !== undefined && { severity: severity as Severity }),
          ...(status !== undefined && { status: status as AlertStatus }),
        },
        limit: SHOWN_ALERTS,
        tenantId,
      });
      const rows = await presentAll(parts, { alerts, tenantId });
      output.result(
        { alerts: rows },
        table(['ALERT', 'SEVERITY', 'STATUS', 'SOURCE', 'SCORE', 'DUE'], alerts.map(lineOf)),
      );
      return EXIT.done;
    },
  },
  {
    words: 'alert show',
    summary: 'Show one alert: who was screened, the hits, the notes, the outcome',
    options: [TENANT],
    positionals: ALERT,
    example: 'alert show --tenant 0190… 5f9d0e4b-93d1-8c1e-9a55-0a2f4de2c1aa',
    async run({ clock, open, output }, given) {
      const [alertId = ''] = given.positionals;
      const tenantId = given.value('tenant') as TenantId;
      const parts = alertPartsOf(await open());
      const alert = await findAlert(parts, { alertId, tenantId });
      if (!(await parts.signed.isAsSigned(alert))) throw new DomainError('alert-altered');
      const settings = await parts.settingsOf(tenantId);
      const shown = presentDetail(alert, {
        isClosableByOne: !needsSecond(settings, alert, 'closed_false_positive'),
        notes: await notesOf(parts, alert),
        now: clock.now(),
        subject: await subjectOf(parts, alert),
      });
      output.result(shown, describe(shown));
      return EXIT.done;
    },
  },
  ...workCommands,
];

const lineOf = (alert: Alert): string[] => [
  alert.alertId,
  alert.severity,
  alert.status,
  alert.source,
  alert.score.toFixed(3),
  toTimestamp(alert.dueAt),
];

function describe(shown: ReturnType<typeof presentDetail>): string {
  const { hits, notes, subject } = shown;
  const rows: readonly (readonly [string, string])[] = [
    ['severity', shown.severity],
    ['status', shown.status],
    ['subject', subject.erased ? 'erased' : (subject.name ?? '–')],
    ['of', `${subject.kind} ${subject.id}`],
    ['assignee', shown.assignee ?? '–'],
    ['due', `${shown.due_at}${shown.sla_breached ? ' (over)' : ''}`],
    ['outcome', shown.outcome?.comment ?? '–'],
    ...hits.map((hit): [string, string] => [
      'hit',
      `${hit.score.toFixed(3)} ${hit.source} ${hit.ftm_id} ${hit.primary_name}`,
    ]),
    ...notes.map((note): [string, string] => [
      'note',
      `${note.at} ${note.by}: ${note.text ?? '(erased)'}`,
    ]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)} ${printable(value)}`).join('\n');
}
