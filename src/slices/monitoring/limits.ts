/** Limits of messages and files of transactions. */
import type { LimitRow } from '#core/kernel';
import { CSV_TRANSACTIONS_MAX } from './csvTransactions.ts';
import { RATES_BYTES_MAX, RATES_MAX } from './exchangeRates.ts';
import { FIN_BYTES_MAX, FIN_MESSAGES_MAX } from './finMessages.ts';
import { FACT_BYTES_MAX, FACT_ROWS_MAX } from './givenFacts.ts';
import { JSON_BYTES_MAX, JSON_TRANSACTIONS_MAX } from './jsonTransactions.ts';
import { PACS008_BYTES_MAX } from './readPacs008.ts';
import { TRANSACTION_FILE_BYTES_MAX } from './transactionFiles.ts';

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-too-large', max: JSON_BYTES_MAX, what: 'Bytes of transactions as JSON' },
  { beyond: 'body-invalid', max: JSON_TRANSACTIONS_MAX, what: 'Transactions of one JSON body' },
  { beyond: 'body-too-large', max: PACS008_BYTES_MAX, what: 'Bytes of a pacs.008 message' },
  { beyond: 'body-too-large', max: FIN_BYTES_MAX, what: 'Bytes of a file of MT103' },
  { beyond: 'mt-malformed', max: FIN_MESSAGES_MAX, what: 'Messages of a file of MT103' },
  { beyond: 'body-too-large', max: CSV_TRANSACTIONS_MAX, what: 'Rows of a CSV of transactions' },
  {
    beyond: 'body-too-large',
    max: TRANSACTION_FILE_BYTES_MAX,
    what: 'Bytes of a CSV of transactions',
  },
  { beyond: 'body-too-large', max: FACT_BYTES_MAX, what: 'Bytes of a CSV of customer facts' },
  { beyond: 'body-too-large', max: FACT_ROWS_MAX, what: 'Rows of a CSV of customer facts' },
  { beyond: 'body-too-large', max: RATES_BYTES_MAX, what: 'Bytes of exchange rates' },
  { beyond: 'body-invalid', max: RATES_MAX, what: 'Exchange rates of one version' },
];
