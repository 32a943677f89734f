/** Limits of messages and files of transactions. */
import type { LimitRow } from '#core/kernel';
import { CSV_TRANSACTIONS_MAX } from './csvTransactions.ts';
import { FIN_BYTES_MAX, FIN_MESSAGES_MAX } from './finMessages.ts';
import { JSON_BYTES_MAX, JSON_TRANSACTIONS_MAX } from './jsonTransactions.ts';
import { PACS008_BYTES_MAX } from './readPacs008.ts';

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-too-large', max: JSON_BYTES_MAX, what: 'Bytes of transactions as JSON' },
  { beyond: 'body-invalid', max: JSON_TRANSACTIONS_MAX, what: 'Transactions of one JSON body' },
  { beyond: 'body-too-large', max: PACS008_BYTES_MAX, what: 'Bytes of a pacs.008 message' },
  { beyond: 'body-too-large', max: FIN_BYTES_MAX, what: 'Bytes of a file of MT103' },
  { beyond: 'mt-malformed', max: FIN_MESSAGES_MAX, what: 'Messages of a file of MT103' },
  { beyond: 'body-too-large', max: CSV_TRANSACTIONS_MAX, what: 'Rows of a CSV of transactions' },
];
