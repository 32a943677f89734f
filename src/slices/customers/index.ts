/**
 * Cases of identity verification. Read in this order: words, workflowContent, tables, states,
 * roles → caseContent, signedCases, caseRecord, subjects, workflows → missing, changeCase →
 * createCase, patchCase, mergePatch, subjectRules, consents, listCases, viewCase → documentFiles,
 * addDocument, viewDocument, documentChecks, readDocument, settleDocument, forgetText → caseChecks,
 * screenedSubject, screenCase, decidedStep, nextAssignee, checkCase → reopenedStep, decideCase,
 * confirmDecision, assignCase → seenCustomer, subjectChanges, commitCustomer, rectify →
 * biometricVerdict, mailText, linkMail, sendMail, caseParts → sweepCases, listedCase, followRating,
 * cohort.
 */
export * from './addDocument.ts';
export * from './asks.ts';
export * from './assignCase.ts';
export * from './biometricVerdict.ts';
export * from './caseChecks.ts';
export * from './caseContent.ts';
export * from './caseParts.ts';
export * from './caseRecord.ts';
export * from './changeCase.ts';
export * from './checkCase.ts';
export * from './cohort.ts';
export * from './confirmDecision.ts';
export * from './consents.ts';
export * from './createCase.ts';
export * from './decideCase.ts';
export * from './decidedStep.ts';
export * from './documentChecks.ts';
export * from './documentFiles.ts';
export * from './eraseSubject.ts';
export * from './followRating.ts';
export * from './forgetInputs.ts';
export * from './forgetText.ts';
export * from './identifiers.ts';
export * from './limits.ts';
export * from './linkMail.ts';
export * from './listCases.ts';
export * from './listedCase.ts';
export * from './mailText.ts';
export * from './missing.ts';
export * from './nextAssignee.ts';
export * from './patchCase.ts';
export * from './ports.ts';
export * from './readDocument.ts';
export * from './rectify.ts';
export * from './reopenedStep.ts';
export { roles as customerRoles, WITHOUT_SUBJECT } from './roles.ts';
export * from './screenCase.ts';
export * from './screenedSubject.ts';
export * from './sendMail.ts';
export { type KycSettings, settings as kycSettings } from './settings.ts';
export * from './settleDocument.ts';
export * from './signedCases.ts';
export * from './states.ts';
export * from './subjectRules.ts';
export * from './subjects.ts';
export * from './suspectedSubject.ts';
export * from './sweepCases.ts';
export * from './tables.ts';
export * from './viewCase.ts';
export * from './viewDocument.ts';
export * from './words.ts';
export * from './workflowContent.ts';
export * from './workflows.ts';
