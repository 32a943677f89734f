/** Limits of tax reporting. */
import type { LimitRow } from '#core/kernel';

/** Persons of an entity that one classification names. */
export const PERSONS_MAX = 200;
/** After which a worker looks whether a form was seen by its holder's first classification. */
export const FORM_SEEN_MS = 60_000;
/** Countries, addresses and telephones of one holder. */
export const PLACES_MAX = 50;
/** Jurisdictions with which an institution's country exchanges. */
export const JURISDICTIONS_MAX = 250;
/** Characters of a tenant's own reference. */
export const REF_CHARS_MAX = 128;
export const EXPLANATION_CHARS_MIN = 20;
export const EXPLANATION_CHARS_MAX = 2_000;
/** Bytes of a body that classifies somebody. */
export const CLASSIFICATION_BYTES_MAX = 256 * 1024;
/** Bytes of a body with a form. */
export const FORM_BYTES_MAX = 256 * 1024;
/** Bytes of a package: IDES takes no larger one. */
export const PACKAGE_BYTES_MAX = 200_000_000;
/** Bytes of a report before it is compressed, and of white space in a row. */
export const REPORT_BYTES_MAX = { all: 4_000_000_000, spaces: 64 * 1024 } as const;
/** Bytes of a package's metadata. */
export const METADATA_BYTES_MAX = 64 * 1024;
/** Entries of a package: payload, metadata, and keys of at most two receivers. */
export const PACKAGE_ENTRIES_MAX = 4;
/** Bytes of a wrapped key, of RSA with 4,096 bits at most. */
export const WRAPPED_KEY_BYTES_MAX = 512;
/** Characters of SignedInfo, and of KeyInfo. */
export const SIGNATURE_CHARS_MAX = 64 * 1024;
/** Bytes of a notification of the IRS. */
export const NOTIFICATION_BYTES_MAX = 20_000_000;
/** Numbers of the FFI list of the IRS, which has half a million. */
export const FFI_ENTRIES_MAX = 2_000_000;
/** Records that a correction names. */
export const CORRECTED_RECORDS_MAX = 500;
/** Bytes of a package with a notification. */
export const NOTIFICATION_PACKAGE_BYTES_MAX = 20_000_000;
/** Bytes of a notification of the IRS with the signature around it. */
export const NOTIFICATION_DOCUMENT_BYTES_MAX = 24_000_000;
/** Time after which a silent SFTP server is given up. */
export const SFTP_SILENCE_MS = 30_000;
/** Bits of an RSA key. */
export const RSA_BITS_MIN = 2_048;

/** Bytes of what is stated of an institution. */
export const FI_BYTES_MAX = 64 * 1024;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-invalid', max: PERSONS_MAX, what: 'Persons of an entity that is classified' },
  {
    beyond: 'body-too-large',
    max: CLASSIFICATION_BYTES_MAX,
    what: 'Bytes of a body that classifies a holder',
  },
  {
    beyond: 'body-too-large',
    max: FORM_BYTES_MAX,
    what: 'Bytes of a body with a form of a holder',
  },
  {
    beyond: 'package-too-large',
    max: PACKAGE_BYTES_MAX,
    what: 'Bytes of a package for IDES',
  },
  {
    beyond: 'package-report-invalid',
    max: REPORT_BYTES_MAX.all,
    what: 'Bytes of a report in one package, before it is compressed',
  },
  {
    beyond: 'ffi-list-invalid',
    max: FFI_ENTRIES_MAX,
    what: 'Numbers of the FFI list of the IRS',
  },
  {
    beyond: 'notification-invalid',
    max: NOTIFICATION_BYTES_MAX,
    what: 'Bytes of a notification of the IRS, unpacked',
  },
  {
    beyond: 'body-too-large',
    max: NOTIFICATION_PACKAGE_BYTES_MAX,
    what: 'Bytes of a package with a notification',
  },
];
