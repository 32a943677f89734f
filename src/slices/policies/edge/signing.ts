/** A policy saved as a draft, and signed into force. */
import { type PolicyRecord, saveAndPublish, saveDraft, signPolicy } from '#slices/policies';
import { SIGNING_PROBLEMS, signaturesIn } from '../../../api/givenSignatures.ts';
import type { Operation } from '../../../api/operation.ts';
import { EXAMPLE_CONTENT } from './exampleContent.ts';
import {
  answerChange,
  CHANGE_PROBLEMS,
  CHANGING,
  PATH,
  type PolicyRouteOptions,
  placeOf,
} from './routeOptions.ts';
import { Policy, type Publish, PublishBody, type Save, SaveBody } from './schemas.ts';

const RULES = ['cadence-not-yours', 'policy-invalid'] as const;

export const signingOperations = (options: PolicyRouteOptions): Operation[] => [
  savePolicy(options),
  publishPolicy(options),
];

const savePolicy = (options: PolicyRouteOptions): Operation => ({
  ...CHANGING,
  id: 'savePolicy',
  method: 'PUT',
  path: PATH,
  conditions: 'version',
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS, ...RULES, ...SIGNING_PROBLEMS],
  summary: 'Save a draft of the next policy; the one in force is not touched',
  description:
    'It makes or replaces the one draft, and voids its signatures. With the `signatures` of two ' +
    'persons it is published by the same call. If-Match names the draft, or the policy in force ' +
    'where there is none. Only registered persons save policies, no API key does.',
  body: SaveBody,
  example: { content: EXAMPLE_CONTENT, justification: 'Fewer false positives of exposed persons' },
  responses: { 200: { description: 'The draft, or the policy in force', schema: Policy } },
  handle: (context) => {
    const { comment, content, justification, signatures } = context.body as Save;
    const wanted = { content, justification };
    return answerChange(options, context, {
      change: (ports, ask) =>
        signatures === undefined
          ? saveDraft(ports, ask, wanted)
          : saveAndPublish(
              ports,
              { ...ask, signatures, ...(comment !== undefined && { comment }) },
              wanted,
            ),
      statusOf: () => 200,
    });
  },
});

const publishPolicy = (options: PolicyRouteOptions): Operation => ({
  ...CHANGING,
  id: 'publishPolicy',
  method: 'POST',
  path: `${PATH}/{version}/publish`,
  conditions: 'version',
  idempotency: 'required',
  problems: [
    ...CHANGE_PROBLEMS,
    ...RULES,
    ...SIGNING_PROBLEMS,
    'policy-immutable',
    'policy-unknown',
  ],
  summary: 'Sign a draft; the second signature puts it into force',
  description:
    'Two persons sign, one of compliance and one of DSI; the editor may be one of them. The ' +
    'first signature counts for seven days, and any edit voids it. `state-conflict` where ' +
    'another policy came into force since the draft was saved.',
  body: PublishBody,
  example: { signature: `${'A'.repeat(86)}==`, timestamp: '2026-01-31T06:00:00.000Z' },
  responses: {
    200: { description: 'The policy, in force', schema: Policy },
    202: { description: 'The policy, waiting for the second person', schema: Policy },
  },
  handle: (context) => {
    const { comment } = context.body as Publish;
    const signatures = signaturesIn(context.body as Publish);
    return answerChange(options, context, {
      change: (ports, ask) =>
        signPolicy(ports, {
          ...ask,
          ...placeOf(context),
          signatures,
          ...(comment !== undefined && { comment }),
        }),
      statusOf: ({ status }: PolicyRecord) => (status === 'PUBLISHED' ? 200 : 202),
    });
  },
});
