/**
 * Transactions: every format into one record. Read in this order: transaction, shapes →
 * settleTransaction, messageLegs → jsonTransactions, csvTransactions → pacs008Schema,
 * pacs008Paths, readPacs008, pacs008Transactions → finMessages, mt103Fields, mt103Parties,
 * mt103Transactions → readTransactions.
 */
export { CSV_COLUMNS, csvTransactions } from './csvTransactions.ts';
export * from './readTransactions.ts';
export * from './transaction.ts';
