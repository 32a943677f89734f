/** Problems of tax reporting. */
import { type CodesOf, type ProblemRows, SEE_ERRORS } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'classification-unknown': {
    status: 404,
    title: 'Unknown classification',
    meaning: 'The tenant has no classification of that id.',
    remedy: 'Use an id of `GET /v1/tcr/classifications`.',
    exit: 'notFound',
  },
  'classification-invalid': {
    status: 422,
    title: 'Classification invalid',
    meaning: 'What is said of the holder cannot be: a GIIN, a country, a day or an indicium.',
    remedy: SEE_ERRORS,
  },
  'accounts-invalid': {
    status: 422,
    title: 'Accounts invalid',
    meaning: 'None of the accounts of the body can be taken.',
    remedy: SEE_ERRORS,
  },
  'declaration-exists': {
    status: 409,
    title: 'Declaration exists',
    meaning: 'The institution has a declaration of this regime, period and receiver.',
    remedy: 'Use the one that the detail names, or cancel it.',
  },
  'declaration-invalid': {
    status: 422,
    title: 'Declaration invalid',
    meaning: 'Such a declaration cannot be made.',
    remedy: SEE_ERRORS,
  },
  'corrects-required': {
    status: 422,
    title: 'Corrected declaration required',
    meaning: 'A declaration of this type follows on another one, and names none.',
    remedy: 'Name it in `corrects`.',
  },
  'corrects-not-correctable': {
    status: 422,
    title: 'Nothing to correct',
    meaning: 'The declaration named has nothing on file that could be corrected so.',
    remedy: 'Name an accepted declaration of the same institution, period and regime.',
  },
  'declaration-unknown': {
    status: 404,
    title: 'Unknown declaration',
    meaning: 'The tenant has no declaration of that id.',
    remedy: 'Use an id of `GET /v1/tcr/declarations`.',
    exit: 'notFound',
  },
  'xml-not-ready': {
    status: 409,
    title: 'XML not ready',
    meaning: 'The declaration has no XML yet, or what was found at its generation forbids one.',
    remedy: 'Look at its status and at its findings.',
  },
  'giin-invalid': {
    status: 422,
    title: 'GIIN invalid',
    meaning: 'It does not have the form of a Global Intermediary Identification Number.',
    remedy: 'Use the number as the IRS lists it, such as 98Q96B.00000.LE.250.',
  },
  'form-fields-invalid': {
    status: 422,
    title: 'Form cannot be',
    meaning: 'What is said to stand on the form cannot stand there, or it held no longer.',
    remedy: SEE_ERRORS,
  },
  'tin-invalid': {
    status: 422,
    title: 'Tax number invalid',
    meaning: 'A number of the United States has a form in which none was ever issued.',
    remedy: 'Compare it with the form: nine digits, without dashes.',
  },
  'tax-form-unknown': {
    status: 404,
    title: 'Unknown form of a holder',
    meaning: 'The tenant has no form of that id.',
    remedy: 'Use an id of `GET /v1/tcr/forms`.',
    exit: 'notFound',
  },
  'ffi-list-invalid': {
    status: 422,
    title: 'FFI list invalid',
    meaning: 'The file is no whole list of the IRS, or an older one than that which is there.',
    remedy: 'Fetch the list again; `detail` says what was expected. What is there stays.',
  },
  'import-running': {
    status: 409,
    title: 'An import is running',
    meaning: 'A file of accounts of this institution and period has not ended.',
    remedy: 'Wait until `GET /v1/tcr/accounts/import/{import_id}` says that it has.',
  },
  'import-unknown': {
    status: 404,
    title: 'Unknown import',
    meaning: 'The tenant has no import of that id.',
    remedy: 'Use the id that `POST /v1/tcr/accounts/import` gave.',
    exit: 'notFound',
  },
  'period-invalid': {
    status: 422,
    title: 'Period invalid',
    meaning: 'Reports are made for years from 2014 on that are over.',
    remedy: SEE_ERRORS,
  },
  'reporting-fi-invalid': {
    status: 422,
    title: 'Institution invalid',
    meaning: 'What is said of the institution cannot go into a report.',
    remedy: SEE_ERRORS,
  },
  'reporting-fi-unknown': {
    status: 422,
    title: 'Unknown institution',
    meaning: 'The tenant has stated no institution of that GIIN.',
    remedy: 'State it by `PUT /v1/tcr/reporting-fis/{giin}`.',
  },
  'package-report-invalid': {
    status: 422,
    title: 'Report cannot be packaged',
    meaning: 'The file is no FATCA report, or has what makes the IRS reject it unread.',
    remedy: 'Correct what `detail` names, and package the report again.',
  },
  'package-too-large': {
    status: 413,
    title: 'Package too large',
    meaning: 'IDES takes no package of that size.',
    remedy: 'Split the report into several messages.',
  },
  'certificate-invalid': {
    status: 422,
    title: 'Certificate cannot be used',
    meaning: 'A certificate or key is not what signs, or opens, a package of IDES.',
    remedy: 'Use an RSA certificate of 2,048 bits or more, and the key that belongs to it.',
  },
  'certificate-expired': {
    status: 422,
    title: 'Certificate out of its time',
    meaning: 'A certificate holds no longer, or not yet.',
    remedy: 'Get the present one: that of a receiver is published by IDES.',
  },
  'package-unreadable': {
    status: 422,
    title: 'Package cannot be read',
    meaning: 'The archive does not have exactly the entries of a package, in their form.',
    remedy: 'Fetch the package again; `detail` says what was expected.',
  },
  'package-undecryptable': {
    status: 422,
    title: 'Package cannot be decrypted',
    meaning: 'With this key, what is encrypted is no archive of one report.',
    remedy: 'Use the key of the certificate that the package was made for.',
  },
  'package-signature-invalid': {
    status: 422,
    title: 'Signature of a package does not hold',
    meaning: 'What the package has was not signed as it is by whom it should be.',
    remedy: 'Trust nothing of the package. `detail` says what does not fit.',
  },
  'notification-invalid': {
    status: 422,
    title: 'Not a notification of the IRS',
    meaning: 'What was signed is no notification of a file as the schema of the IRS has it.',
    remedy: 'Lay it before a person: `detail` says what was expected.',
  },
  'deposit-refused': {
    status: 409,
    title: 'Deposit refused',
    meaning: 'The package could be deposited a second time, or did not arrive whole.',
    remedy: 'Look at what `detail` names; the same call goes on where it ended.',
  },
  'deposit-running': {
    status: 409,
    title: 'A deposit is running',
    meaning: 'Another process deposits the same package.',
    remedy: 'Wait until it has ended, and call again.',
  },
  'channel-invalid': {
    status: 422,
    title: 'Channel invalid',
    meaning: 'An institution cannot file that way.',
    remedy: 'Correct what `detail` names.',
  },
  'channel-unknown': {
    status: 422,
    title: 'No channel',
    meaning: 'The institution has no channel: no keys and no place to file with.',
    remedy: 'Have an administrator run `tax channel set`.',
  },
  'package-not-ready': {
    status: 409,
    title: 'Package not ready',
    meaning: 'A worker has not made the package yet, or the declaration is not submitted.',
    remedy: 'Submit it, and look at its messages.',
  },
  'receipt-unknown': {
    status: 422,
    title: 'Receipt of an unknown file',
    meaning: 'No message of the declaration went by that name.',
    remedy: 'Use the `sender_file_id` of one of its messages.',
  },
  'channel-unavailable': {
    status: 503,
    title: 'Channel unavailable',
    meaning: 'The place of deposits cannot be reached, does not let us in, or is another one.',
    remedy: 'Compare host, host key and user; the same call goes on where it ended.',
    exit: 'unavailable',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
