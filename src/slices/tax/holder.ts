/** Whose classifications and forms are: a reference of the tenant, which never leaves as it is. */
import type { TenantId } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';

/** Whose it is. */
export interface Holder {
  readonly tenantId: TenantId;
  readonly subjectRef: string;
}

/** Name of the data key of a holder: a digest stands for the reference, the tenant’s own text. */
export const holderKey = ({ subjectRef, tenantId }: Holder) => ({
  keyId: `tax/${tenantId}/${sha256Hex(`tax-holder-v1\0${subjectRef}`)}`,
  tenantId,
});

/** As entries name a holder. */
export const holderTarget = (holder: Holder): string =>
  `tax-holder:${sha256Hex(holderKey(holder).keyId)}`;
