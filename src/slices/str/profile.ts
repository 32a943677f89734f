/**
 * A profile: how one FIU takes reports. Its schema is the FIU's own; what stands beside it is the
 * reporter's: who reports, and what the FIU calls what we call otherwise.
 */
import type { Address, PersonContent } from './content.ts';

/** What an administrator sets of a profile. Members are spelt as in the file that is imported. */
export interface ProfileSettings {
  /** The authority, as people name it. */
  readonly fiu: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  /** ISO 4217: amounts in it are local. */
  readonly currency: string;
  /** IANA name of the zone that its times are in. */
  readonly zone: string;
  /** The narrative's language, as BCP 47. */
  readonly language: string;
  /** The reporter's number at the FIU. */
  readonly rentity_id: string;
  readonly rentity_branch?: string;
  readonly reporting_person?: PersonContent;
  readonly reporting_user_code?: string;
  readonly location?: Address;
  /** Codes of reports that tell of an activity and not of transactions. */
  readonly activity_codes: readonly string[];
  /** By type of the schema, or by element: our word, and the FIU's code. */
  readonly codes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By `type.element`, or by element: what stands where nothing is known and the FIU wants it. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly limits: ProfileLimits;
}

/** What the FIU takes at most. */
export interface ProfileLimits {
  /** Code points. */
  readonly narrative_chars: number;
  /** Bytes of one attachment, and of the package. */
  readonly attachment_bytes: number;
  readonly package_bytes: number;
}

/** The structure that is shipped. */
export const GENERIC_PROFILE = 'generic-5.0';
/** Says in the report itself what it is not. */
export const UNSUITABLE = `${GENERIC_PROFILE}: a structure of our own, not for filing`;
