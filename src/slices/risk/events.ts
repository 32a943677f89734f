/** Events that risk sends: ids and levels, no facts (decisions 7.6). */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'risk.evaluation.published': {
    partition: 'tenant',
    says: 'A client was evaluated for the first time, on request, or to another level.',
  },
  'risk.approval.awaited': {
    partition: 'tenant',
    says: 'A risk policy waits for approvals of these roles: it was submitted, or is reminded of.',
  },
  'risk.approval.late': {
    partition: 'tenant',
    says: 'A risk policy has waited seven days for its approvals.',
  },
  'risk.approval.decided': {
    partition: 'tenant',
    says: 'A risk policy that waited for approvals was published, rejected or withdrawn.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
