/**
 * Forms that tenants write and customers fill in. Read in this order: definition → pattern,
 * patternTime, dayBounds, valueChecks → checkDefinition (checkField, checkValidation) → fieldValue,
 * evaluateForm, dataSchema → formDiff → tables, signedForms, formRecord → draftForm, publishForm,
 * publishApproved, listForms → submission, signedSubmissions, fillCase, submitForm,
 * listSubmissions → formParts, sdkVersion.
 */
export * from './canonicalFields.ts';
export * from './checkDefinition.ts';
export * from './dataSchema.ts';
export * from './definition.ts';
export * from './draftForm.ts';
export * from './evaluateForm.ts';
export * from './fieldValue.ts';
export * from './forgetSubmissions.ts';
export * from './formDiff.ts';
export * from './formParts.ts';
export * from './formRecord.ts';
export * from './limits.ts';
export * from './linearPattern.ts';
export * from './listForms.ts';
export * from './listSubmissions.ts';
export * from './ports.ts';
export * from './publishApproved.ts';
export * from './publishForm.ts';
export * from './sdkVersion.ts';
export { FORM_CODE } from './seenFields.ts';
export { SDK_PLATFORMS, type SdkMinimum, settings as formSettings } from './settings.ts';
export * from './signedForms.ts';
export * from './signedSubmissions.ts';
export * from './submission.ts';
export * from './submitForm.ts';
export * from './tables.ts';
