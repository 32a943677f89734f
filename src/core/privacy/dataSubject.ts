/** A person whose data slices hold, under every name that some slice knows. */
import type { TenantId } from '#core/kernel';

/** The person, under the names that slices know him by. */
export interface DataSubject {
  readonly tenantId: TenantId;
  /** The tenant's own id: `subject_ref` of screenings, `external_ref` of cases. */
  readonly subjectRef?: string;
  /** The digest of that id, which screenings have, where it alone is known. */
  readonly subjectKey?: string;
  readonly subjectId?: string;
  readonly caseIds?: readonly string[];
  /** Under which he stands where he was erased and a duty lasts. */
  readonly pseudonym?: string;
}

/** Crockford's base 32, small: 26 letters. */
const PSEUDONYM = /^psn_[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether a reference is one that stands for an erased person. */
export const isPseudonym = (reference: string): boolean => PSEUDONYM.test(reference);
