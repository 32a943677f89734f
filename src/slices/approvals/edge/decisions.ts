/** How a request is decided: signed by another person, rejected, or withdrawn by its author. */
import { DomainError } from '#core/kernel';
import {
  type ApprovalPorts,
  type ApprovalRequest,
  rejectRequest,
  type SignedRequest,
  signRequest,
  withdrawRequest,
} from '#slices/approvals';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { placeOf } from './getApproval.ts';
import { presentRequest } from './presentation.ts';
import {
  ApprovalApplied,
  ApprovalResult,
  type Reject,
  RejectBody,
  type Sign,
  SignBody,
} from './schemas.ts';

const DECISION_BODY_BYTES_MAX = 64 * 1024;

const DECISION_PROBLEMS = [
  'approval-unknown',
  'dual-control-roles',
  'dual-control-same-person',
  'person-required',
  'state-conflict',
] as const;
const SIGNATURE_PROBLEMS = [
  'dual-control-expired',
  'dual-control-replayed',
  'dual-control-signature-invalid',
] as const;

const DECIDING = {
  idempotency: 'required',
  limits: 'general',
  method: 'POST',
  roles: roles.take,
  scope: 'approvals:write',
  tag: 'Operations',
} as const;

export const decisionOperations = (options: ApprovalPorts): Operation[] => [
  signApproval(options),
  rejectApproval(options),
  withdrawApproval(options),
];

function signApproval(options: ApprovalPorts): Operation {
  return {
    ...DECIDING,
    id: 'signApproval',
    problems: [...DECISION_PROBLEMS, 'approval-altered', ...SIGNATURE_PROBLEMS],
    passesOn: true,
    path: '/v1/approvals/{approval_id}/sign',
    summary: 'Sign a request of another person; its change is made at once',
    description:
      'The approver calls, and signs the bytes of `signing` with a registered key. The change is ' +
      'made in the author’s name. `state-conflict` where the request has ended, or is stale now.',
    bodyBytesMax: DECISION_BODY_BYTES_MAX,
    body: SignBody,
    example: {
      signature: `${'A'.repeat(86)}==`,
      timestamp: '2026-01-31T06:00:00.000Z',
    },
    responses: { 200: { description: 'The request, applied', schema: ApprovalApplied } },
    async handle(context) {
      const { signature, timestamp } = context.body as Sign;
      const now = options.clock.now();
      const answer = kept(options, context, {
        present: ({ answer: { body }, request }: SignedRequest) => ({
          ...presentRequest(request, now),
          result: JSON.parse(body) as unknown,
        }),
        status: 200,
      });
      const decided = { ...askedBy(context), ...placeOf(context), ...answer.idempotency };
      return answer.reply(await signRequest(options, { ...decided, signature, timestamp }));
    },
  };
}

function rejectApproval(options: ApprovalPorts): Operation {
  return {
    ...DECIDING,
    id: 'rejectApproval',
    problems: [...DECISION_PROBLEMS, 'comment-required'],
    path: '/v1/approvals/{approval_id}/reject',
    summary: 'Reject a request that one might have signed, and say why',
    bodyBytesMax: DECISION_BODY_BYTES_MAX,
    body: RejectBody,
    example: { comment: 'The publisher moves next week' },
    responses: { 200: { description: 'The request, rejected', schema: ApprovalResult } },
    async handle(context) {
      const { comment = '' } = context.body as Reject;
      if (comment.trim() === '') throw new DomainError('comment-required');
      const answer = endOf(options, context);
      const ask = { ...askedBy(context), ...placeOf(context), ...answer.idempotency, comment };
      return answer.reply(await rejectRequest(options, ask));
    },
  };
}

function withdrawApproval(options: ApprovalPorts): Operation {
  return {
    ...DECIDING,
    id: 'withdrawApproval',
    problems: DECISION_PROBLEMS,
    path: '/v1/approvals/{approval_id}/withdraw',
    summary: 'Withdraw a request of one’s own',
    bodyBytesMax: 0,
    responses: { 200: { description: 'The request, withdrawn', schema: ApprovalResult } },
    async handle(context) {
      const answer = endOf(options, context);
      const ask = { ...askedBy(context), ...placeOf(context), ...answer.idempotency };
      return answer.reply(await withdrawRequest(options, ask));
    },
  };
}

function endOf(options: ApprovalPorts, context: OperationContext) {
  const now = options.clock.now();
  const present = (request: ApprovalRequest) => presentRequest(request, now);
  return kept(options, context, { present, status: 200 });
}
