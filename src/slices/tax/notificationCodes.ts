/**
 * Codes of the IRS's notifications, as its schema 2.4 lists them: nineteen of a file, twenty-one of
 * a record. What we make of a file's code stands beside it. A code that is not here is kept and
 * never guessed at.
 */

/** Why a file was rejected: what has to be done anew. */
export type RejectionCause = 'content' | 'environment' | 'message' | 'transport';

/** What a code of a file means for what was sent. */
export interface FileCode {
  readonly meaning: string;
  /** `paper` is of a report on paper, which changes nothing of a file. */
  readonly effect: 'accepted' | 'paper' | 'rejected';
  readonly cause?: RejectionCause;
}

const rejected = (cause: RejectionCause, meaning: string): FileCode => ({
  cause,
  effect: 'rejected',
  meaning,
});
const paper = (meaning: string): FileCode => ({ effect: 'paper', meaning });

/** By FATCANotificationCd. */
export const FILE_CODES: Readonly<Record<string, FileCode>> = {
  NVF: { effect: 'accepted', meaning: 'valid file' },
  NDW: rejected('transport', 'failed download'),
  NDC: rejected('transport', 'failed decryption'),
  NDP: rejected('transport', 'failed decompression'),
  NSC: rejected('transport', 'failed signature check'),
  NKS: rejected('transport', 'incorrect AES key size'),
  NCF: rejected('transport', "the sender's certificate is invalid"),
  NDF: rejected('transport', 'failed decoding of Base64'),
  NIF: rejected('transport', 'the file is not of the type that its metadata tell'),
  NTD: rejected('content', 'failed threat detection'),
  NVS: rejected('content', 'failed virus scan'),
  NSV: rejected('message', 'failed schema validation'),
  NMR: rejected('message', 'invalid MessageRefId'),
  NDM: rejected('message', 'duplicate MessageRefId'),
  NTP: rejected('environment', 'test data in production'),
  NPT: rejected('environment', 'production data in the test environment'),
  NPP: paper('error of a pooled report on paper'),
  NPA: paper('error of an account report on paper'),
  NPN: paper('error of a nil report on paper'),
};

/** What is to be done after a rejection. */
export const NEXT_STEPS: Readonly<Record<RejectionCause, string>> = {
  content: 'find what was taken for a threat, and package the report again',
  environment: 'stop: test and production were mixed up',
  message: 'generate the report again, with a new MessageRefId',
  transport: 'package the same report again, and send it',
};

const SIX = [
  'reporting error',
  'duplicate record',
  'correction with error',
  'correction without matching original',
  'void without matching original',
  'amendment without matching original',
] as const;
const six = (first: number, report: string): (readonly [string, string])[] =>
  SIX.map((what, index) => [String(first + index), `${report}: ${what}`]);

/** By RecordLevelErrorCd. */
export const RECORD_CODES: Readonly<Record<string, string>> = Object.fromEntries([
  ...six(8001, 'pooled report'),
  ...six(8007, 'account report'),
  ...six(8013, 'nil report'),
  ['8019', 'unspecified report'],
  ['8020', 'duplicated DocRefId'],
  ['8021', 'DocRefId of an invalid format'],
]);
