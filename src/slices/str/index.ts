/**
 * Reports to the authority: from a draft to what the FIU answers. Read in this order: content,
 * tables, visibility, strRecord, contentStore, signedReports → draftFromLog, draftReport,
 * attachments → validateReport → patternSyntax, patternMatch, repairSchema, xsdTree, xsdValues,
 * xsdGrammar → facts, partyFacts, transactionFacts, reportFacts, reportWriter → profile, profiles,
 * importProfile, previewReport → packageReport, submitReport, dispatchWork, endSubmission.
 */
export * from './asks.ts';
export * from './attachments.ts';
export * from './businessDays.ts';
export * from './content.ts';
export * from './contentRules.ts';
export * from './contentStore.ts';
export * from './dispatchWork.ts';
export * from './draftFromLog.ts';
export * from './draftReport.ts';
export * from './endSubmission.ts';
export * from './eraseReports.ts';
export * from './fincenReceipt.ts';
export * from './fiuCaller.ts';
export * from './folderChannel.ts';
export * from './importProfile.ts';
export * from './limits.ts';
export * from './listReports.ts';
export * from './packageReport.ts';
export * from './patternMatch.ts';
export * from './patternSyntax.ts';
export * from './ports.ts';
export * from './previewReport.ts';
export * from './profile.ts';
export * from './profiles.ts';
export * from './references.ts';
export * from './remoteChannel.ts';
export * from './repairSchema.ts';
export * from './reportFacts.ts';
export * from './reportParts.ts';
export * from './reportsAbout.ts';
export * from './reportWriter.ts';
export { type StrSettings, settings as strSettings } from './settings.ts';
export * from './signedReports.ts';
export * from './strRecord.ts';
export * from './submitReport.ts';
export * from './tables.ts';
export * from './validateReport.ts';
export * from './visibility.ts';
export * from './xsdGrammar.ts';
export * from './xsdTree.ts';
