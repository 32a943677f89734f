/** How notices and conditions are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { Locale } from '#platform/locales';
import {
  type Condition,
  type Notice,
  type NoticeMessage,
  readableNotice,
  rowOf,
} from '#slices/notifications';

const time = (at: EpochMs | undefined): string | null =>
  at === undefined ? null : toTimestamp(at);

export function presentNotice(notice: Notice, locale: Locale) {
  const { says, title, todo } = readableNotice(notice, locale);
  return {
    notification_id: notice.noticeId,
    kind: notice.kind,
    severity: notice.severity,
    audience: notice.audience,
    subject: { kind: notice.subjectKind, id: notice.subjectId },
    params: notice.params,
    alert_id: notice.conditionId ?? null,
    title,
    text: `${says} ${todo}`,
    created_at: toTimestamp(notice.createdAt),
    closed_at: time(notice.closedAt),
  };
}

export const presentMessage = (message: NoticeMessage) => ({
  channel: message.channel,
  recipient: message.recipient,
  language: message.locale,
  status: message.status,
  tries: message.tries ?? null,
  fault: message.failureCode ?? message.faultCode ?? null,
  next_try_at: message.status === 'unsent' ? time(message.dueAt) : null,
  ended_at: time(message.endedAt),
});

/** As the list of active alerts shows it (operations S19). */
export function presentCondition(condition: Condition) {
  const { opens, runbook } = rowOf(condition.code);
  return {
    alert_id: condition.conditionId,
    code: condition.code,
    kind: condition.kind,
    severity: condition.severity,
    status: condition.status,
    since: toTimestamp(condition.openedAt),
    last_seen: toTimestamp(condition.lastSeenAt ?? condition.openedAt),
    count: condition.count ?? 1,
    subject: { kind: condition.subjectKind, id: condition.subjectId },
    message_key: opens,
    params: condition.params,
    runbook,
  };
}
