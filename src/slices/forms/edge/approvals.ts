/** Publications of forms at `/v1/approvals`: the editor asks, the second person signs. */
import { type Static, Type } from 'typebox';
import type { Approvable, CheckedChange } from '#core/identity';
import { DomainError } from '#core/kernel';
import {
  type FormWithVersion,
  publishApproved,
  requireLastEditor,
  shownPublication,
  signedOnce,
} from '#slices/forms';
import { Nullable } from '../../../api/nullable.ts';
import { compileSchema } from '../../../api/validate.ts';
import type { GatewayProcess } from '../../processes.ts';
import { FORM_ROLE_PAIR, roles } from '../roles.ts';
import { formPartsOf } from './parts.ts';
import { presentVersion } from './presentation.ts';

const FIELD = 'publish';
const LABEL_CHARS_MAX = 32;

/** What is signed as `new_value`; `signing` of a draft has it. */
const Publication = Type.Object(
  {
    base_version: Nullable('string', { maxLength: LABEL_CHARS_MAX }),
    content_hash: Type.String({ maxLength: 64, minLength: 64 }),
    version: Type.String({ maxLength: LABEL_CHARS_MAX, minLength: 1 }),
  },
  { additionalProperties: false },
);
const validate = compileSchema(Publication);

export const approvals = (process: GatewayProcess): Readonly<Record<string, Approvable>> => ({
  form: {
    check: async ({ author, field, id, newValue }) => {
      const [formId = '', versionId = '', ...others] = id.split(':');
      if (others.length > 0) throw new DomainError('not-found');
      const violations =
        field === FIELD
          ? validate(newValue).map((one) => ({ ...one, pointer: `/new_value${one.pointer}` }))
          : [{ code: 'format', detail: `field: expected ${FIELD}`, pointer: '/field' }];
      if (violations.length > 0) throw new DomainError('body-invalid', { violations });
      const value = newValue as Static<typeof Publication>;
      const ports = formPartsOf(process);
      const place = { formId, newValue: value, tenantId: author.tenantId, versionId };
      await requireLastEditor(ports, author, await signedOnce(ports, place));
      const answerOf = ({ version }: FormWithVersion) => ({
        body: JSON.stringify(presentVersion(version, ports.clock.now())),
        status: 200,
      });
      const change: CheckedChange = {
        apply: async (by) => answerOf(await publishApproved(ports, { ...place, answerOf, by })),
        show: async () => shownPublication(await signedOnce(ports, place)),
        subject: { field: FIELD, newValue: { ...value }, resource: `form:${formId}:${versionId}` },
      };
      return change;
    },
    rolePair: FORM_ROLE_PAIR,
    roles: roles.change,
  },
});
