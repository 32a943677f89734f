/**
 * Transactions: every format into one record, and records into a log. Read in this order:
 * transaction, shapes → settleTransaction, messageLegs → jsonTransactions, csvTransactions →
 * pacs008Schema, pacs008Paths, readPacs008, pacs008Transactions → finMessages, mt103Fields,
 * mt103Parties, mt103Transactions → readTransactions → tables, contentKey, decideTaking,
 * sealTransaction → partyQueries, verdictMemo, screenParties, segmentParties → writeSegment,
 * takeTransactions → segmentEvidence, readLog, logStream → ports, advice.
 */
export * from './advice.ts';
export * from './asks.ts';
export * from './checkContents.ts';
export { violationsOf } from './checkShape.ts';
export { csvRows } from './csvRows.ts';
export { CSV_COLUMNS, csvTransactions } from './csvTransactions.ts';
export * from './customerFacts.ts';
export * from './decideTaking.ts';
export * from './erasePayments.ts';
export * from './exchangeRates.ts';
export * from './findMentions.ts';
export * from './generateTransactions.ts';
export * from './givenFacts.ts';
export * from './givenRates.ts';
export { isDate, isZone } from './instants.ts';
export { JSON_TRANSACTIONS_MAX, jsonTransactions } from './jsonTransactions.ts';
export * from './listedPayments.ts';
export * from './logMeans.ts';
export * from './logStream.ts';
export { isIban } from './messageLegs.ts';
export { exponentOf, minorUnits } from './money.ts';
export * from './partyQueries.ts';
export * from './paymentCustomers.ts';
export * from './paymentsOfPerson.ts';
export * from './ports.ts';
export * from './readLog.ts';
export { PACS008_BYTES_MAX } from './readPacs008.ts';
export * from './readTransactions.ts';
export * from './screenParties.ts';
export * from './segmentEvidence.ts';
export { type MonitoringSettings, settings as monitoringSettings } from './settings.ts';
export { type ObjectShape, type Shape, shapeOf } from './shapes.ts';
export * from './tables.ts';
export * from './takeFile.ts';
export * from './takeTransactions.ts';
export { plainSplitter, readerName, readTextWords, type TextSplitter } from './textWords.ts';
export * from './transaction.ts';
export * from './transactionFiles.ts';
export * from './transactionMatches.ts';
export * from './verdictMemo.ts';
export { openWinkSplitter } from './winkSplitter.ts';
