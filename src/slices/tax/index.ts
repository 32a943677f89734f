/**
 * Tax reporting, so far who is reported: identifiers, and what a holder is for FATCA and CRS. Read
 * in this order: giin, usTin, tin → taxSubject, decisionTable, classificationTables, indicia,
 * individualFacts, entityFacts, classify → tables, classificationContent, signedClassifications,
 * classifySubject, cureIndicium, listClassifications.
 */
export * from './checkInputs.ts';
export * from './classificationContent.ts';
export * from './classificationTables.ts';
export * from './classify.ts';
export * from './classifySubject.ts';
export * from './cureIndicium.ts';
export * from './decisionTable.ts';
export * from './giin.ts';
export * from './indicia.ts';
export * from './limits.ts';
export * from './listClassifications.ts';
export * from './money.ts';
export * from './ports.ts';
export * from './signedClassifications.ts';
export * from './tables.ts';
export * from './taxSubject.ts';
export * from './tin.ts';
export * from './usTin.ts';
