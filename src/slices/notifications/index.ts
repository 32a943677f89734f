/**
 * Notifications. Read in this order:
 *
 *   codes, tables                     what people are told of, and what is stored
 *   webhookConditions, certificateConditions, sanctionsConditions → conditions
 *                                     events become conditions; opened, counted, closed
 *   tell → sendMessages               a notice and its messages; on their way
 *   texts, renderNotice               what people read
 */
export { onCertificateExpiring } from './certificateConditions.ts';
export * from './codes.ts';
export * from './conditions.ts';
export { addFailure, failureTimes, withinHour } from './failureWindow.ts';
export { createSendFigures, registerNoticeFigures } from './figures.ts';
export * from './limits.ts';
export * from './ports.ts';
export * from './privacyNews.ts';
export * from './readNotices.ts';
export * from './renderNotice.ts';
export * from './rescreeningConditions.ts';
export * from './riskApprovals.ts';
export { TOLD_ROLES } from './roles.ts';
export * from './sanctionsConditions.ts';
export * from './sendMessages.ts';
export { checkConditions } from './signedConditions.ts';
export * from './tables.ts';
export * from './taxForms.ts';
export { readersAmong } from './tell.ts';
export * from './webhookConditions.ts';
