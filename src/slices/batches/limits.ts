/** Limits of uploads that become batches. */
import type { LimitRow } from '#core/kernel';

export const UPLOADS_PER_TENANT_MAX = 16;
/**
 * Uploads at once in one gateway, whoever sends them: each takes up to 4 MB. A quarter is kept for
 * tenants that have none.
 */
export const UPLOADS_MAX = 64;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'rate-limited', max: UPLOADS_PER_TENANT_MAX, what: 'Uploads of a tenant at once' },
  { beyond: 'rate-limited', max: UPLOADS_MAX, what: 'Uploads at once, in one gateway' },
];
