/**
 * Publications of policies at `/v1/approvals`: asked for by the editor, signed by the second
 * person.
 */
import { Type } from 'typebox';
import { type Approvable, signedAuthorOf } from '#core/identity';
import { DomainError } from '#core/kernel';
import { requireLastEditor } from '#slices/approvals';
import {
  awaitedPolicy,
  type PolicyRecord,
  policiesInForceOf,
  policyPortsOf,
  publishApproved,
  shownPublication,
} from '#slices/policies';
import {
  type AskedPublication,
  approvablePublication,
  ContentHash,
} from '../../../api/approvablePublication.ts';
import type { GatewayProcess } from '../../processes.ts';
import { POLICY_ROLE_PAIR, roles } from '../roles.ts';
import { presentPolicy } from './presentation.ts';

const VERSION_MAX = 999_999_999;

/** What is signed as `new_value`; `signing` of a draft has it. */
const Publication = Type.Object(
  {
    base_version: Type.Integer({ maximum: VERSION_MAX, minimum: 1 }),
    content_hash: ContentHash,
    version: Type.Integer({ maximum: VERSION_MAX, minimum: 1 }),
  },
  { additionalProperties: false },
);
type Asked = AskedPublication<{ readonly version: number }>;

const placeOf = ({ author: { tenantId }, newValue }: Asked) => ({
  newValue,
  policyVersion: newValue.version,
  tenantId,
});

export const approvals = (process: GatewayProcess): Readonly<Record<string, Approvable>> => ({
  sanctions_policy: approvablePublication({
    apply: async (asked, by) => {
      const ports = policyPortsOf(process);
      const answerOf = (published: PolicyRecord) => ({
        body: JSON.stringify(presentPolicy(published, ports.clock.now())),
        status: 200,
      });
      const published = await publishApproved(ports, { ...placeOf(asked), answerOf, by });
      policiesInForceOf(process).forget(asked.author.tenantId);
      return answerOf(published);
    },
    check: async (asked) => {
      if (asked.id !== '') throw new DomainError('not-found');
      const ports = policyPortsOf(process);
      const { draft } = await awaitedPolicy(ports, placeOf(asked));
      await requireLastEditor(ports, asked.author, signedAuthorOf(draft));
    },
    resourceOf: () => 'sanctions_policy',
    rolePair: POLICY_ROLE_PAIR,
    roles: roles.change,
    schema: Publication,
    show: async (asked) =>
      shownPublication(await awaitedPolicy(policyPortsOf(process), placeOf(asked))),
  }),
});
