/**
 * Transactions: every format into one record, and records into a log. Read in this order:
 * transaction, shapes → settleTransaction, messageLegs → jsonTransactions, csvTransactions →
 * pacs008Schema, pacs008Paths, readPacs008, pacs008Transactions → finMessages, mt103Fields,
 * mt103Parties, mt103Transactions → readTransactions → tables, contentKey, decideTaking,
 * sealTransaction, takeTransactions → segmentEvidence, readLog.
 */
export * from './asks.ts';
export { CSV_COLUMNS, csvTransactions } from './csvTransactions.ts';
export * from './decideTaking.ts';
export { isZone } from './instants.ts';
export * from './ports.ts';
export * from './readLog.ts';
export { PACS008_BYTES_MAX } from './readPacs008.ts';
export * from './readTransactions.ts';
export * from './segmentEvidence.ts';
export * from './tables.ts';
export * from './takeTransactions.ts';
export * from './transaction.ts';
