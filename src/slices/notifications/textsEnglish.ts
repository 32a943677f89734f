/** Notices in English. */
import type { NoticeTexts } from './noticeText.ts';

/** English, left to right. */
export const english: NoticeTexts = {
  direction: 'ltr',
  facts: {
    at: 'Time',
    count: 'Failed deliveries',
    endpoint: 'Endpoint',
    notification: 'Notification',
    reason: 'Reason',
    seq: 'Event',
    severity: 'Severity',
    since: 'Since',
    tenant: 'Tenant',
    ticket: 'Ticket',
    until: 'Until',
  },
  footer:
    'This message was sent by the compliance platform. It is also listed under notifications.',
  greeting: 'Dear',
  greetingAll: 'Dear colleagues',
  kinds: {
    'alerts.altered': {
      says:
        'Alerts are not what was signed. Lists name them as altered; by their own records they ' +
        'may be missing where they belong.',
      title: 'Alerts were changed past the service',
      todo:
        'Follow the runbook AlertsAltered: keep the store as it is, and find out who wrote ' +
        'to it.',
    },
    'alerts.restored': {
      says: 'All alerts that were compared are what was signed.',
      title: 'No alert is altered any more',
      todo: 'Nothing has to be done. That they were altered stays on record.',
    },
    'chain.acknowledged': {
      says: 'Two persons have acknowledged a broken event of the evidence.',
      title: 'A broken chain of evidence is acknowledged',
      todo: 'Policies can be changed again, unless another break is open.',
    },
    'chain.broken': {
      says:
        'An event of the evidence is not what was signed. ' +
        'Screening goes on; policies are locked.',
      title: 'The chain of evidence is broken',
      todo:
        'Follow the runbook ChainBroken: keep the store as it is, and find out who wrote ' +
        'to it.',
    },
    'privacy.due': {
      says: 'A person has asked for personal data, or for its erasure, and is not answered yet.',
      title: 'A request about personal data is due',
      todo: 'Answer the request before its deadline, or extend it with a reason.',
    },
    'privacy.overdue': {
      says: 'The deadline of a request about personal data has passed without an answer.',
      title: 'A request about personal data is overdue',
      todo: 'Answer it today, and tell the person why it is late.',
    },
    'replay.different': {
      says: 'A screening was repeated from its own evidence, and something else came out.',
      title: 'The replay of a screening differs',
      todo: 'Follow the runbook ReplayDifferent: read the differences, and do not upgrade further.',
    },
    'replay.settled': {
      says: 'The screening was repeated once more, and is identical.',
      title: 'The replay of a screening is identical again',
      todo: 'Nothing has to be done. The differing result stays on record.',
    },
    'rescreening.different': {
      says:
        'The weekly pass over all customers has found hits that the passes before it should ' +
        'have found.',
      title: 'Re-screening has missed something',
      todo:
        'Work on the new alerts, and follow the runbook RescreeningDifferent: find out why ' +
        'they were missed.',
    },
    'rescreening.in_time': {
      says: 'All customers are compared with the lists in force again.',
      title: 'Re-screening has caught up',
      todo: 'Nothing has to be done.',
    },
    'rescreening.late': {
      says: 'Customers have not been compared with the lists in force for over four hours.',
      title: 'Re-screening is late',
      todo: 'Follow the runbook RescreeningLate: look at the workers and at the last run.',
    },
    'rescreening.settled': {
      says: 'The weekly pass over all customers has found what was found before, and no more.',
      title: 'Re-screening misses nothing any more',
      todo: 'Nothing has to be done. The earlier difference stays on record.',
    },
    'risk.approval_asked': {
      says: 'A risk policy was submitted: it needs your approval, with both of its reports.',
      title: 'A risk policy waits for your approval',
      todo:
        'Look at the change, the backtest and the shadow, then approve it by signature or ' +
        'reject it.',
    },
    'risk.approval_decided': {
      says:
        'The risk policy that had waited for its approvals was published, rejected or ' +
        'withdrawn.',
      title: 'A risk policy was decided',
      todo: 'Nothing has to be done.',
    },
    'risk.approval_due': {
      says: 'A risk policy waits for your approval still.',
      title: 'A risk policy still waits for your approval',
      todo: 'Approve it by signature, or reject it and say why.',
    },
    'risk.approval_late': {
      says: 'A risk policy has waited seven days for its approvals.',
      title: 'Nobody has approved a risk policy for seven days',
      todo: 'Ask the compliance director and DSI to approve or reject it.',
    },
    'tax.form_ended': {
      says: 'A form of the IRS that a holder has signed holds no longer after this day.',
      title: 'A form of a holder has reached its last day',
      todo: 'Ask for a new one. Until it is there, the holder is classified without a form.',
    },
    'tax.form_ending': {
      says: 'A form of the IRS that a holder has signed holds until the day named.',
      title: 'A form of a holder ends soon',
      todo: 'Ask the holder for a new one, and hand it in before that day.',
    },
    'webhook.burst': {
      says: 'Very many webhook deliveries of one tenant have failed for good within an hour.',
      title: 'Webhook deliveries fail in great number',
      todo:
        'Look at the endpoints of the tenant, and at our own way out: proxy, DNS, ' +
        'certificates.',
    },
    'webhook.burst_over': {
      says: 'Few webhook deliveries of the tenant have failed within the last hour.',
      title: 'Webhook deliveries no longer fail in great number',
      todo: 'What was missed can be sent again with a replay.',
    },
    'webhook.certificate': {
      says: 'The client certificate that a webhook endpoint asks for ends soon, or has ended.',
      title: 'The certificate of a webhook endpoint ends soon',
      todo: 'Ask for a new one and configure it: without it no delivery is sent.',
    },
    'webhook.certificate_renewed': {
      says: 'The client certificate of a webhook endpoint was renewed.',
      title: 'The certificate of a webhook endpoint is renewed',
      todo: 'Nothing has to be done.',
    },
    'webhook.disabling': {
      says: 'A webhook endpoint has taken nothing for four days. It will be disabled in a day.',
      title: 'A webhook endpoint will be disabled',
      todo: 'Mend or replace it. A single success is enough to keep it.',
    },
    'webhook.moved': {
      says: 'A webhook endpoint answers that its address has changed for good.',
      title: 'A webhook endpoint has moved',
      todo: 'Change its URL in the configuration.',
    },
    'webhook.disabled': {
      says: 'A webhook endpoint was disabled: it is gone, or has taken nothing for five days.',
      title: 'A webhook endpoint was disabled',
      todo: 'Mend or replace it, enable it again, then order a replay of what it has missed.',
    },
    'webhook.failed': {
      says:
        'Deliveries to a webhook endpoint have failed for good. A ticket was opened; it ' +
        'counts further ones and is closed by the next success.',
      title: 'Webhook deliveries have failed for good',
      todo:
        'Look at the deliveries of the endpoint, mend the cause, and send them again with a ' +
        'replay.',
    },
    'webhook.failing': {
      says: 'Three deliveries in a row have failed at a webhook endpoint. They are tried again.',
      title: 'A webhook endpoint is failing',
      todo: 'Look at the answers of the endpoint. The next notice comes after a success only.',
    },
    'webhook.recovered': {
      says: 'A webhook endpoint that was failing has taken a delivery.',
      title: 'A webhook endpoint has recovered',
      todo:
        'Nothing has to be done. Deliveries that failed for good can be sent again with a ' +
        'replay.',
    },
  },
  severities: { CRITICAL: 'Critical', HIGH: 'High', LOW: 'Low', MEDIUM: 'Medium' },
};
