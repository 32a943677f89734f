/** Problems of reports to the authority. */
import { type CodesOf, type ProblemRows, SEE_ERRORS } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'str-unknown': {
    status: 404,
    title: 'Unknown report',
    meaning: 'There is no report of that id for this caller.',
    remedy: 'Use an id of `GET /v1/aml/str`.',
    exit: 'notFound',
  },
  'str-incomplete': {
    status: 422,
    title: 'Report incomplete',
    meaning: 'The report lacks what it must say, or what the FIU’s schema asks for.',
    remedy: SEE_ERRORS,
  },
  'str-content-invalid': {
    status: 422,
    title: 'Content invalid',
    meaning: 'The report has characters that no XML can carry, or names what it does not have.',
    remedy: SEE_ERRORS,
  },
  'str-validation-stale': {
    status: 409,
    title: 'Validation stale',
    meaning: 'The report is not what the data protection officer has validated.',
    remedy: 'Ask for validation again.',
  },
  'str-checklist-incomplete': {
    status: 422,
    title: 'Checklist incomplete',
    meaning: 'Data of special categories are in the report, and no reason was given.',
    remedy: 'Give `special_categories_reason`, or return the report.',
  },
  'str-profile-unknown': {
    status: 422,
    title: 'Unknown profile',
    meaning: 'The tenant has no profile of that id.',
    remedy: 'Import it: `str profile import --tenant ID --id ID --file XSD --settings FILE`.',
  },
  'str-profile-invalid': {
    status: 422,
    title: 'Profile invalid',
    meaning: 'The schema or the settings of a profile cannot be read.',
    remedy: 'Give the schema as the FIU publishes it, and settings as docs/str.md has them.',
  },
  'str-profile-unsuitable': {
    status: 422,
    title: 'Profile unsuitable for filing',
    meaning: 'The profile is a structure of ours that no FIU takes.',
    remedy: 'Import the FIU’s own schema, and set `str.profile`.',
  },
  'str-channel-off': {
    status: 422,
    title: 'Channel off',
    meaning: 'The way to the authority that this tenant has chosen is not configured.',
    remedy: 'Configure it (`str channel set`), or set `str.channel`.',
  },
  'attachment-refused': {
    status: 422,
    title: 'Attachment refused',
    meaning: 'The file is of no kind that goes with a report, or not what its name says.',
    remedy: 'Attach PDF, PNG, JPEG, TIFF, DOCX, XLSX, or text in UTF-8.',
  },
  'str-link-expired': {
    status: 403,
    title: 'Link expired',
    meaning: 'The link to the package is older than five minutes, or was made for another caller.',
    remedy: 'Ask for a new one: `POST /v1/aml/str/{str_id}/package`.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
