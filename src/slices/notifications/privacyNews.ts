/**
 * Requests about personal data that are due soon, today, or overdue: people who answer them are
 * written to, as often as privacy reminds of a request. Ids and the deadline alone: whom a request
 * is about stands in no mail.
 */
import type { OutboxEvent } from '#core/reactions';
import { tellNews } from './endpointNews.ts';
import type { NoticePorts } from './ports.ts';

/** Tells of it, once for its event. */
export function onPrivacyReminder(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const { days_left: daysLeft, due_at: until, request_id: requestId } = event.payload;
  const isOverdue = Number(daysLeft) < 0;
  return tellNews(ports, event, {
    kind: isOverdue ? 'privacy.overdue' : 'privacy.due',
    params: { until: String(until) },
    severity: isOverdue ? 'HIGH' : 'MEDIUM',
    subject: { subjectId: String(requestId), subjectKind: 'privacy_request' },
  });
}
