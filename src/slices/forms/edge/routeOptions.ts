/** What the operations of forms share: ports, places of forms, and answers of changes. */
import type { TenantId } from '#core/kernel';
import type { Signer } from '#platform/crypto';
import {
  type FormAsk,
  type FormWithVersion,
  type SdkMinimum,
  type VersionPlace,
  versionEtag,
} from '#slices/forms';
import type { CursorCodec } from '../../../api/cursor.ts';
import { ifMatch } from '../../../api/etags.ts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import type { OperationContext, OperationReply } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { FormParts } from './parts.ts';
import { presentVersion } from './presentation.ts';

/** What the operations of forms are made of. */
export interface FormRouteOptions {
  readonly ports: () => FormParts;
  readonly cursors: CursorCodec;
  readonly signer: () => Signer;
  /** The least versions of SDKs that the tenant serves. */
  readonly sdkOf: (tenantId: TenantId) => Promise<SdkMinimum>;
}

export const FORMS = '/v1/forms';
export const FORM = `${FORMS}/{form_id}`;
export const VERSIONS = `${FORM}/versions`;
export const VERSION = `${VERSIONS}/{version_id}`;
const BODY_BYTES_MAX = 512 * 1024;

export const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'forms:read',
  tag: 'Forms',
} as const;

/** What all changes have in common. */
export const CHANGING = {
  bodyBytesMax: BODY_BYTES_MAX,
  limits: 'general',
  roles: roles.change,
  scope: 'forms:write',
  tag: 'Forms',
} as const;

/** Problems that every change may give. */
export const CHANGE_PROBLEMS = [
  'audit-chain-broken',
  'form-unknown',
  'person-required',
  'state-altered',
  'state-conflict',
] as const;

/** The form, and the version, that the path names. */
export const placeOf = ({
  params,
  tenantId,
}: Pick<OperationContext, 'params' | 'tenantId'>): VersionPlace => ({
  formId: params.form_id ?? '',
  tenantId,
  versionId: params.version_id ?? '',
});

/** Makes a change and answers with what `present` shows of it, kept under the caller's key. */
export async function answerChange(
  { ports }: FormRouteOptions,
  context: OperationContext,
  of: {
    readonly change: (ports: FormParts, ask: FormAsk) => Promise<FormWithVersion>;
    readonly present?: (made: FormWithVersion) => object;
    readonly statusOf?: (made: FormWithVersion) => number;
    readonly headers?: (made: FormWithVersion) => readonly (readonly [string, string])[];
  },
): Promise<OperationReply> {
  const parts = ports();
  const now = parts.clock.now();
  const present = of.present ?? (({ version }) => presentVersion(version, now));
  const answerOf = (made: FormWithVersion) =>
    kept<FormWithVersion>(parts, context, { present, status: of.statusOf?.(made) ?? 200 });
  const isExpected = ifMatch(context.request.header('if-match'));
  const made = await of.change(parts, {
    ...askedBy(context),
    ...(context.idempotency !== undefined && {
      idempotency: (one) => {
        const { idempotency } = answerOf(one).idempotency;
        if (idempotency === undefined) throw new TypeError('a claim has a record');
        return idempotency(one);
      },
    }),
    ...(isExpected !== undefined && { isExpected }),
  });
  const headers = of.headers?.(made) ?? [];
  return {
    ...answerOf(made).reply(made),
    headers: [['etag', versionEtag(made.version)], ...headers],
  };
}
