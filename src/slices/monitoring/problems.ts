/** Problems of messages and files of transactions. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Rows of this slice; src/app/sliceRows.ts joins them with those of all parts. */
export const problems = {
  'message-malformed': {
    status: 400,
    title: 'Malformed message',
    meaning: 'The message is no well-formed XML in UTF-8, or goes over a bound; nothing was kept.',
    remedy: 'Send XML 1.0 in UTF-8 without DOCTYPE, whole; `detail` has line and column.',
  },
  'message-version-unsupported': {
    status: 422,
    title: 'Unsupported message',
    meaning: 'The message is none of pacs.008.001.01 to .13; nothing was kept.',
    remedy: 'Send one of these versions; the namespace of Document says which it is.',
  },
  'message-invalid': {
    status: 422,
    title: 'Message not as its schema',
    meaning: 'An element is missing, misplaced or of another type, or a control figure is wrong.',
    remedy: 'Correct the element that `errors` names, and send the whole message again.',
  },
  'ingest-rejected': {
    status: 422,
    title: 'Nothing taken',
    meaning: 'No transaction of the body could be taken, and none was known; nothing was kept.',
    remedy: 'Correct what `errors` names, transaction by transaction, and send it again.',
  },
  'transaction-unknown': {
    status: 404,
    title: 'Unknown transaction',
    meaning: 'There is no transaction of that id.',
    remedy: 'Use a tx_id of `GET /v1/aml/transactions`.',
    exit: 'notFound',
  },
  'mt-malformed': {
    status: 400,
    title: 'Malformed FIN file',
    meaning: 'The blocks of the file do not balance, or there is no message; nothing was kept.',
    remedy: 'Send whole messages, {1:} to -}, one after the other or parted by $.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
