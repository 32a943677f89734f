/** The second person of four eyes: confirms an approval, or declines it. */
import { DomainError } from '#core/kernel';
import { unknownCase } from './caseRecord.ts';
import { changeCase } from './changeCase.ts';
import {
  type DecideAsk,
  requireAllowed,
  requirePerson,
  requireReason,
  requireRole,
  withReason,
} from './decideCase.ts';
import { decidedStep } from './decidedStep.ts';
import type { CasePorts } from './ports.ts';
import { rateNow } from './riskNow.ts';
import { roles } from './roles.ts';
import { tierOf } from './states.ts';
import type { CaseRecord } from './tables.ts';

/** What the second person says. */
export interface Confirmation {
  readonly decisionId: string;
  readonly isConfirmed: boolean;
  /** Needed to decline. */
  readonly comment?: string;
}

/**
 * Who proposed an approval may take it back, and not confirm it. Throws `case-unknown` where no
 * such decision waits, `dual-control-same-person`, `person-required`, `role-insufficient`,
 * `reason-required`, `risk-prohibited`.
 */
export async function confirmDecision(
  ports: CasePorts,
  ask: DecideAsk,
  { comment = '', decisionId, isConfirmed }: Confirmation,
): Promise<CaseRecord> {
  requirePerson(ask);
  if (!ask.roles.some((role) => (roles.confirm as readonly string[]).includes(role))) {
    throw new DomainError('role-insufficient');
  }
  if (!isConfirmed) requireReason({ reason: comment });
  return changeCase(ports, ask, async (seen) => {
    const { pending } = seen.record;
    if (pending?.decisionId !== decisionId) throw unknownCase('decision that waits');
    const content =
      comment === '' ? seen.content : withReason(seen.content, `${decisionId}/second`, comment);
    if (!isConfirmed) {
      return {
        change: { pending: undefined },
        content,
        entry: {
          action: 'kyc.case.decision_declined',
          members: { decision_id: decisionId, proposed_by: pending.decidedBy },
        },
      };
    }
    if (pending.decidedBy === ask.actor) throw new DomainError('dual-control-same-person');
    const rated = await rateNow(ports, seen.record);
    // Who proposed it decides cases of the tier that it had; of another one the second person must.
    if (tierOf(rated.record) !== tierOf(seen.record)) requireRole(ask, 'approve', rated.record);
    requireAllowed(rated);
    const { actor } = ask;
    const { change } = rated;
    const decision = { ...pending, confirmedBy: actor, decidedAt: ports.clock.now() };
    return decidedStep(ports, seen, { actor, change, content, decision, trigger: 'approve' });
  });
}
