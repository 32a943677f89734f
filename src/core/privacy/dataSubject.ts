/** A person whose data slices hold, under every name that some slice knows. */
import type { TenantId } from '#core/kernel';

/** The person, under the names that slices know him by. */
export interface DataSubject {
  readonly tenantId: TenantId;
  /** The tenant's own id: `subject_ref` of screenings, `external_ref` of cases. */
  readonly subjectRef?: string;
  readonly subjectId?: string;
  readonly caseIds?: readonly string[];
  /** Under which he stands where he was erased and a duty lasts. */
  readonly pseudonym?: string;
}
