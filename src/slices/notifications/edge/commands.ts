/** `notification list`, `show`, `active`, `acknowledge`: what people were told, without mail. */
import type { TenantId } from '#core/kernel';
import { LOCALES, type Locale } from '#platform/locales';
import { acknowledge, openConditions, readNotice, readNotices } from '#slices/notifications';
import { type CommandOption, EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCommand } from '../../processes.ts';
import { noticePortsOf } from './parts.ts';
import { presentCondition, presentMessage, presentNotice } from './presentation.ts';

export { checks } from './checks.ts';

const SHOWN_NOTICES = 50;
const LOCALE: CommandOption = { name: 'locale', value: 'LOCALE', help: LOCALES.join(', ') };

export const commands: readonly SliceCommand[] = [
  {
    words: 'notification list',
    summary: `Show the last ${SHOWN_NOTICES} notifications, those for operations too`,
    options: [TENANT, LOCALE],
    example: 'notification list --tenant 0190… --locale fr',
    async run({ open, output }, given) {
      const locale = localeOf(given);
      const { storage } = await open();
      const { notices } = await readNotices(storage, {
        isOperator: true,
        limit: SHOWN_NOTICES,
        tenantId: given.value('tenant') as TenantId,
      });
      const shown = notices.map((notice) => presentNotice(notice, locale));
      const rows = shown.map((one) => [
        one.notification_id,
        one.created_at,
        one.severity,
        one.closed_at === null ? '–' : 'over',
        one.title,
      ]);
      output.result(
        { notifications: shown },
        table(['NOTIFICATION', 'AT', 'SEVERITY', 'OVER', 'TITLE'], rows),
      );
      return EXIT.done;
    },
  },
  {
    words: 'notification show',
    summary: 'Show one notification: what it says, and what became of its messages',
    options: [TENANT, LOCALE],
    positionals: [{ name: 'NOTIFICATION', help: 'an id, of `notification list`' }],
    example: 'notification show --tenant 0190… 019a0b2c-7d4e-7000-8000-000000000000',
    async run({ open, output }, given) {
      const [noticeId = ''] = given.positionals;
      const { storage } = await open();
      const { messages, notice } = await readNotice(storage, {
        isOperator: true,
        noticeId,
        tenantId: given.value('tenant') as TenantId,
      });
      const shown = presentNotice(notice, localeOf(given));
      const sent = messages.map(presentMessage);
      const lines = [
        `${shown.title}`,
        shown.text,
        `severity ${shown.severity}, ${shown.created_at}`,
        `${shown.subject.kind} ${shown.subject.id}`,
        ...sent.map(({ channel, fault, recipient, status }) =>
          [channel, recipient, status, ...(fault === null ? [] : [`(${fault})`])].join(' '),
        ),
      ];
      output.result({ ...shown, messages: sent }, lines.map(printable).join('\n'));
      return EXIT.done;
    },
  },
  {
    words: 'notification active',
    summary: 'Show alerts of operation and tickets that are open, of one tenant or of all',
    options: [{ ...TENANT, required: false }],
    example: 'notification active',
    async run({ open, output }, given) {
      const tenantId = given.optional('tenant') as TenantId | undefined;
      const { storage } = await open();
      const found = await openConditions(
        storage.tables,
        tenantId === undefined ? {} : { tenantId },
      );
      const shown = found.map((one) => ({ ...presentCondition(one), tenant_id: one.tenantId }));
      const rows = shown.map((one) => [
        one.alert_id,
        one.code,
        one.severity,
        one.status,
        String(one.count),
        one.since,
        `${one.subject.kind} ${one.subject.id}`,
      ]);
      output.result(
        { active: shown },
        table(['ALERT', 'CODE', 'SEVERITY', 'STATUS', 'COUNT', 'SINCE', 'SUBJECT'], rows),
      );
      return EXIT.done;
    },
  },
  {
    words: 'notification acknowledge',
    summary: 'Say that somebody takes care of an open alert or ticket',
    options: [TENANT],
    positionals: [{ name: 'ALERT', help: 'an id, of `notification active`' }],
    example: 'notification acknowledge --tenant 0190… 019a0b2c-7d4e-7000-8000-000000000000',
    async run({ actor, open, output }, given) {
      const [conditionId = ''] = given.positionals;
      const ports = noticePortsOf(await open(), () => undefined);
      const tenantId = given.value('tenant') as TenantId;
      const condition = await acknowledge(ports, { conditionId, tenantId }, actor);
      output.result(presentCondition(condition), `${conditionId} is acknowledged`);
      return EXIT.done;
    },
  },
];

function localeOf(given: Given): Locale {
  const text = given.optional('locale') ?? 'en';
  const locale = LOCALES.find((one) => one === text);
  if (locale !== undefined) return locale;
  throw new UsageError(`--locale: expected ${LOCALES.join(', ')}`);
}
