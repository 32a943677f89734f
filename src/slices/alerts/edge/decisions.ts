/** Several alerts decided by one call, with one reason; an answer for each. */
import { type Decided, decideAlerts, isClosed } from '#slices/alerts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { type DecisionsAsked, DecisionsBody, DecisionsResult } from './hitSchemas.ts';
import type { AlertParts } from './parts.ts';
import { outcomeOf } from './presentation.ts';

const BODY_BYTES_MAX = 64 * 1024;

export const decisionsOperation = (options: AlertParts): Operation => ({
  id: 'decideAlerts',
  method: 'POST',
  path: '/v1/aml/alerts/decisions',
  tag: 'AML',
  summary: 'Decide several alerts, each as a whole, with one reason',
  description:
    'Each alert is closed by a commit of its own, with all hits that nobody decided one by one; ' +
    'where a second person has to agree it is proposed, and confirmed where another person has ' +
    'proposed the same. `data` answers for each: one that is refused takes no others with it.',
  roles: roles.work,
  scope: 'alerts:write',
  idempotency: 'required',
  limits: 'general',
  problems: ['comment-required', 'comment-too-short'],
  bodyBytesMax: BODY_BYTES_MAX,
  body: DecisionsBody,
  example: {
    alerts: [{ alert_id: '5f9d0e4b-93d1-8c1e-9a55-0a2f4de2c1aa', version: 1 }],
    comment: 'Only the family name agrees with the list',
    decision: 'false_positive',
    reason_code: 'name_only',
  },
  responses: { 200: { description: 'What became of each', schema: DecisionsResult } },
  handle: (context) => decideAll(options, context),
});

async function decideAll(options: AlertParts, context: OperationContext) {
  const { alerts, comment = '', decision, reason_code } = context.body as DecisionsAsked;
  const present = (decided: readonly Decided[]) => ({ data: decided.map(presentDecided) });
  const answer = kept(options, context, { present, status: 200 });
  const decided = await decideAlerts(options, {
    ...askedBy(context),
    ...answer.idempotency,
    alerts: alerts.map(({ alert_id, version }) => ({ alertId: alert_id, version })),
    comment,
    decision,
    ...(reason_code !== undefined && { reasonCode: reason_code }),
  });
  return answer.reply(decided);
}

function presentDecided(decided: Decided) {
  if ('refusal' in decided) {
    const { alertId, refusal } = decided;
    return {
      alert_id: alertId,
      result: 'refused',
      revision: null,
      alert_status: null,
      proposal: null,
      code: refusal.code,
      detail: refusal.message,
    };
  }
  const { alert } = decided;
  return {
    alert_id: alert.alertId,
    result: isClosed(alert) ? 'closed' : 'proposed',
    revision: alert.version,
    alert_status: alert.status,
    proposal: outcomeOf(alert.proposal),
    code: null,
    detail: null,
  };
}
