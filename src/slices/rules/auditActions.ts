/** What entries say of rules. Each names the digests of the records that it changes. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'aml.rule.drafted': {
    says: 'A version of a rule was drafted, or its draft replaced: the content’s hash.',
  },
  'aml.rule.backtested': { says: 'A backtest of a version ended: its figures.' },
  'aml.rule.backtest_requested': { says: 'A backtest of a version was asked for.' },
  'aml.rule.shadowed': {
    says: 'A version is evaluated beside those in force, and raises nothing.',
  },
  'aml.rule.signed': { says: 'The first of two persons signed a version: the signature.' },
  'aml.rule.published': {
    severity: 'NOTICE',
    says: 'A version of a rule is in force: its whole content, and both signatures.',
  },
  'aml.rule.discarded': { says: 'A version that was not in force was discarded.' },
  'aml.rule.lapsed': { says: 'Nobody signed beside the first signature in time.' },
  'aml.rules.set': { says: 'From here on transactions are evaluated by these versions of rules.' },
  'aml.rules.evaluated': {
    says: 'A part of the log was evaluated: its numbers, the rules, a Merkle root of what came.',
  },
  'aml.rules.windows_ended': {
    says: 'Windows that were kept cannot be opened any more: something of them was erased.',
  },
  'aml.rules.alerted': { says: 'Alerts of rules are new or say something else: their digests.' },
  'aml.suppression.proposed': {
    says: 'Somebody asked that a rule raise nothing for a subject, and another has to agree.',
  },
  'aml.suppression.active': { says: 'A rule raises nothing for a subject until a time.' },
  'aml.suppression.ended': {
    severity: 'NOTICE',
    says: 'A suppression was taken back, or refused.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
