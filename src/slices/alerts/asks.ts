/** What alerts ask of slices to the right: the evidence of what these raise alerts for. */
import { port, type TenantId } from '#core/kernel';
import type { AlertSubject } from './alertSubject.ts';
import type { AlertCause } from './tables.ts';

/**
 * Whom an alert of a changed list is about, and the hits, as they were signed; undefined where
 * nobody knows of it. Throws `evidence-altered` where the evidence is not what was signed.
 */
export type ListChangeSubject = (
  of: { readonly tenantId: TenantId } & Extract<AlertCause, { readonly kind: 'list_change' }>,
) => Promise<AlertSubject | undefined>;
/** Unanswered: no slice raises alerts when a list changes. */
export const listChangeSubject = port<ListChangeSubject>(() => async () => undefined);
