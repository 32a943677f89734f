/**
 * Publications of policies at `/v1/approvals`: asked for by the editor, signed by the second
 * person.
 */
import { type Static, Type } from 'typebox';
import type { Approvable, CheckedChange } from '#core/identity';
import { DomainError } from '#core/kernel';
import {
  awaitedPolicy,
  policiesInForceOf,
  policyPortsOf,
  publishApproved,
  requireEditor,
  shownPublication,
} from '#slices/policies';
import { compileSchema } from '../../../api/validate.ts';
import type { GatewayProcess } from '../../processes.ts';
import { POLICY_ROLE_PAIR, roles } from '../roles.ts';
import { presentPolicy } from './presentation.ts';

const FIELD = 'publish';
const VERSION_MAX = 999_999_999;

/** What is signed as `new_value`; `signing` of a draft has it. */
const Publication = Type.Object(
  {
    base_version: Type.Integer({ maximum: VERSION_MAX, minimum: 1 }),
    content_hash: Type.String({ maxLength: 64, minLength: 64 }),
    version: Type.Integer({ maximum: VERSION_MAX, minimum: 1 }),
  },
  { additionalProperties: false },
);
const validate = compileSchema(Publication);

export const approvals = (process: GatewayProcess): Readonly<Record<string, Approvable>> => ({
  sanctions_policy: {
    check: async ({ author, field, id, newValue }) => {
      if (id !== '') throw new DomainError('not-found');
      const violations =
        field === FIELD
          ? validate(newValue).map((one) => ({ ...one, pointer: `/new_value${one.pointer}` }))
          : [{ code: 'format', detail: `field: expected ${FIELD}`, pointer: '/field' }];
      if (violations.length > 0) throw new DomainError('body-invalid', { violations });
      const value = newValue as Static<typeof Publication>;
      const ports = policyPortsOf(process);
      const { tenantId } = author;
      const place = { newValue: value, policyVersion: value.version, tenantId };
      const { draft } = await awaitedPolicy(ports, place);
      await requireEditor(ports, author, draft);
      const change: CheckedChange = {
        apply: async (by) => {
          const answerOf = (published: typeof draft) => ({
            body: JSON.stringify(presentPolicy(published, ports.clock.now())),
            status: 200,
          });
          const published = await publishApproved(ports, { ...place, answerOf, by });
          policiesInForceOf(process).forget(tenantId);
          return answerOf(published);
        },
        show: async () => shownPublication(await awaitedPolicy(ports, place)),
        subject: { field: FIELD, newValue: { ...value }, resource: 'sanctions_policy' },
      };
      return change;
    },
    rolePair: POLICY_ROLE_PAIR,
    roles: roles.change,
  },
});
