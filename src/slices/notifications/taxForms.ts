/**
 * Forms of tax holders that end soon, or today: people who work on tax are written to, as often as
 * tax tells of a form. Ids and the last day alone: whose form it is stands in no mail.
 */
import type { OutboxEvent } from '#core/reactions';
import { tellNews } from './endpointNews.ts';
import type { NoticePorts } from './ports.ts';

const SOON_DAYS = 30;

/** Tells of it, once for its event. */
export function onFormEnding(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const { days_left: daysLeft, form_id: formId, type, until } = event.payload;
  const days = Number(daysLeft);
  return tellNews(ports, event, {
    kind: days > 0 ? 'tax.form_ending' : 'tax.form_ended',
    params: { reason: String(type), until: String(until) },
    severity: days > SOON_DAYS ? 'LOW' : days > 0 ? 'MEDIUM' : 'HIGH',
    subject: { subjectId: String(formId), subjectKind: 'tax_form' },
  });
}
