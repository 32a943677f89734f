/** What entries say of alerts. Each names the digests of the alert as it was and as it became. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'aml.alert.created': {
    says: 'A screening, a batch, a changed list or a rule raised an alert: what it is, and why.',
  },
  'aml.alerts.begun': {
    says: 'From here on the workers raise alerts; hits of before have none.',
  },
  'aml.alert.retriggered': {
    says: 'More transactions met the rule of an alert, or its figures changed: what it says now.',
  },
  'aml.alert.assigned': { says: 'An alert was given to somebody to work on, or taken back.' },
  'aml.alert.review_started': { says: 'The assignee began to look at an alert.' },
  'aml.alert.escalated': {
    says: 'The assignee handed an alert to a higher level, with a comment.',
  },
  'aml.alert.changed': { says: 'Severity or due time of an alert was changed.' },
  'aml.alert.noted': { says: 'A person wrote a note beside an alert.' },
  'aml.alert.proposed': { says: 'A person proposed an outcome that another one has to confirm.' },
  'aml.alert.refused': { says: 'Another person refused a proposed outcome, with a comment.' },
  'aml.alert.closed': { says: 'An alert was closed as a true or a false positive.' },
  'aml.alert.reopened': { says: 'A closed alert was opened again, with a comment.' },
  'aml.alert.hit_proposed': {
    says: 'A person said what a hit is, and another one has to confirm it.',
  },
  'aml.alert.hit_decided': { says: 'A hit was decided, by one person or two.' },
  'aml.alert.decided_in_bulk': {
    says: 'Somebody decided several alerts by one call: how many of them took it.',
  },
  'aml.alert.altered': {
    says: 'Which alerts are not what was signed, as the workers compare them; none: no more.',
  },
  'aml.alert.texts_erased': {
    says: 'What people wrote of an alert was erased; how it ended, and who decided, stays.',
  },
  'aml.alert.overdue': { says: 'An alert was not closed within its time.' },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
