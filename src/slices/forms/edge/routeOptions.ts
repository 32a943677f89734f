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
import { changeAnswer } from '../../../api/changeAnswer.ts';
import type { CursorCodec } from '../../../api/cursor.ts';
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
export function answerChange(
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
  return changeAnswer<FormWithVersion>(parts, context, {
    change: (ask) => of.change(parts, ask),
    etagOf: ({ version }) => versionEtag(version),
    headers: of.headers,
    present: of.present ?? (({ version }) => presentVersion(version, now)),
    status: of.statusOf,
  });
}
