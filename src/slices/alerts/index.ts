/**
 * Alerts: what a person has to look at, from its cause to its outcome (decision 8.3). Read in this
 * order: tables, alert, alertLog → reactToScreenings, raiseAlerts, raiseRuleAlerts → changeAlert,
 * workOnAlert, closeAlert, hitReviews, decideHit, decideAlerts, signedAlerts, checkRaised,
 * alertWatch, alteredAlerts → alertPages, alertCause, causeParts, alertStream, alertFeeds.
 */
export * from './alert.ts';
export * from './alertCause.ts';
export * from './alertFeeds.ts';
export * from './alertFigures.ts';
export * from './alertLog.ts';
export * from './alertPages.ts';
export * from './alertStream.ts';
export * from './alertSubject.ts';
export * from './alertWatch.ts';
export * from './alteredAlerts.ts';
export * from './asks.ts';
export type { BatchEvidencePorts } from './batchSubjects.ts';
export * from './causeParts.ts';
export * from './changeAlert.ts';
export * from './checkRaised.ts';
export * from './closeAlert.ts';
export * from './customersOfAlerts.ts';
export * from './deadlines.ts';
export * from './decideAlerts.ts';
export * from './decideHit.ts';
export * from './eraseTexts.ts';
export * from './hitReviews.ts';
export * from './limits.ts';
export * from './openAbout.ts';
export * from './ports.ts';
export * from './raiseAlerts.ts';
export * from './raiseRuleAlerts.ts';
export * from './reactToScreenings.ts';
export { type AlertSettings, type FourEyes, settings as alertSettings } from './settings.ts';
export * from './signedAlerts.ts';
export * from './signedNotes.ts';
export * from './tables.ts';
export * from './workOnAlert.ts';
