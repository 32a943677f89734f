/** Publications of forms at `/v1/approvals`: the editor asks, the second person signs. */
import { Type } from 'typebox';
import { type Approvable, signedAuthorOf } from '#core/identity';
import { DomainError } from '#core/kernel';
import { requireLastEditor } from '#slices/approvals';
import { type FormWithVersion, publishApproved, shownPublication, signedOnce } from '#slices/forms';
import {
  type AskedPublication,
  approvablePublication,
  ContentHash,
} from '../../../api/approvablePublication.ts';
import { Nullable } from '../../../api/nullable.ts';
import type { GatewayProcess } from '../../processes.ts';
import { FORM_ROLE_PAIR, roles } from '../roles.ts';
import { formPartsOf } from './parts.ts';
import { presentVersion } from './presentation.ts';

const LABEL_CHARS_MAX = 32;

/** What is signed as `new_value`; `signing` of a draft has it. */
const Publication = Type.Object(
  {
    base_version: Nullable('string', { maxLength: LABEL_CHARS_MAX }),
    content_hash: ContentHash,
    version: Type.String({ maxLength: LABEL_CHARS_MAX, minLength: 1 }),
  },
  { additionalProperties: false },
);

function placeOf({ author, id, newValue }: AskedPublication<object>) {
  const [formId = '', versionId = '', ...others] = id.split(':');
  if (others.length > 0) throw new DomainError('not-found');
  return { formId, newValue, tenantId: author.tenantId, versionId };
}

export const approvals = (process: GatewayProcess): Readonly<Record<string, Approvable>> => ({
  form: approvablePublication({
    apply: async (asked, by) => {
      const ports = formPartsOf(process);
      const answerOf = ({ version }: FormWithVersion) => ({
        body: JSON.stringify(presentVersion(version, ports.clock.now())),
        status: 200,
      });
      return answerOf(await publishApproved(ports, { ...placeOf(asked), answerOf, by }));
    },
    check: async (asked) => {
      const ports = formPartsOf(process);
      const { draft } = await signedOnce(ports, placeOf(asked));
      await requireLastEditor(ports, asked.author, signedAuthorOf(draft));
    },
    resourceOf: (id) => `form:${id}`,
    rolePair: FORM_ROLE_PAIR,
    roles: roles.change,
    schema: Publication,
    show: async (asked) => shownPublication(await signedOnce(formPartsOf(process), placeOf(asked))),
  }),
});
