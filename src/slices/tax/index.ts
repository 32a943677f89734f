/**
 * Tax reporting: what a holder is for FATCA and CRS, and the accounts of institutions that report.
 * Read in this order: giin, usTin, tin → taxSubject, decisionTable, classificationTables, indicia,
 * individualFacts, entityFacts, classify → tables, signedTable, ffiListing, ffiList, importFfiList,
 * holder, holderContent, classificationContent, signedClassifications, classifySubject,
 * cureIndicium, listClassifications → taxForm, formRules, formShapes, readForm, formFindings,
 * reasonableness, checkForm, formFacts, formTable, signedForms, signedHolders, formContent,
 * formsOnFile, formSteps, addForm, changeForm, watchForm, listForms → account, checkAccount,
 * reportingFiContent, reportingFi → accountBooks, takeAccounts, classifiedAccounts, upsertAccounts,
 * walkAccounts, listAccounts → csvAccount, accountLines, accountFiles, takeAccountFile → xmlWriter,
 * dialects, partyXml, reportXml, reportSchemas, reportRules, poolTotals, reportMessages →
 * declarations, generateDeclaration, listDeclarations. Packages for IDES: envelope, reportPayload,
 * signReport, packageCipher, packageMetadata, writePackage → signedInfo, checkEnvelope, readPackage
 * → notificationCodes, readNotification → deposit, folderChannel, sftpChannel → declarationTables,
 * filingTables, channels, declarationSteps, filingStates, mayBeOut, submitDeclaration,
 * readCrsStatus, answerReader, storedAnswers, applyAnswer, receiveNotification, sandboxIdes,
 * fileMessage, demoAccounts → filedRecords, filedXml, filedLedger, reportPlan, reportItems,
 * cancelDeclaration.
 */
export * from './account.ts';
export * from './accountBooks.ts';
export * from './accountFiles.ts';
export * from './addForm.ts';
export * from './answerReader.ts';
export * from './applyAnswer.ts';
export * from './asks.ts';
export * from './cancelDeclaration.ts';
export * from './changeForm.ts';
export * from './channels.ts';
export * from './checkAccount.ts';
export * from './checkEnvelope.ts';
export * from './checkForm.ts';
export * from './checkInputs.ts';
export * from './classificationContent.ts';
export * from './classificationTables.ts';
export * from './classify.ts';
export * from './classifySubject.ts';
export * from './cureIndicium.ts';
export * from './days.ts';
export * from './decisionTable.ts';
export * from './declarationSteps.ts';
export * from './declarations.ts';
export * from './declarationTables.ts';
export * from './demoAccounts.ts';
export * from './deposit.ts';
export * from './dialects.ts';
export * from './eraseHolder.ts';
export * from './ffiList.ts';
export * from './ffiListing.ts';
export * from './filedLedger.ts';
export * from './filedRecords.ts';
export * from './filedXml.ts';
export * from './fileMessage.ts';
export * from './filingStates.ts';
export * from './filingTables.ts';
export * from './folderChannel.ts';
export * from './formContent.ts';
export * from './formFacts.ts';
export * from './formFindings.ts';
export * from './formRules.ts';
export * from './formShapes.ts';
export * from './formSteps.ts';
export * from './formsOnFile.ts';
export * from './formTable.ts';
export * from './generateDeclaration.ts';
export * from './giin.ts';
export * from './holder.ts';
export * from './holderContent.ts';
export * from './importFfiList.ts';
export * from './indicia.ts';
export * from './limits.ts';
export * from './listAccounts.ts';
export * from './listClassifications.ts';
export * from './listDeclarations.ts';
export * from './listForms.ts';
export * from './money.ts';
export * from './notificationCodes.ts';
export * from './openMessage.ts';
export * from './packageCertificate.ts';
export * from './packageMetadata.ts';
export * from './packageNames.ts';
export * from './ports.ts';
export * from './readCrsStatus.ts';
export * from './readForm.ts';
export * from './readNotification.ts';
export * from './readPackage.ts';
export * from './receiveNotification.ts';
export * from './reportItems.ts';
export * from './reportingFi.ts';
export * from './reportingFiContent.ts';
export * from './reportMessages.ts';
export * from './reportPayload.ts';
export * from './reportPlan.ts';
export * from './reportRules.ts';
export * from './reportSchemas.ts';
export * from './reportXml.ts';
export * from './sandboxIdes.ts';
export * from './sftpChannel.ts';
export * from './signedClassifications.ts';
export * from './signedForms.ts';
export * from './signedHolders.ts';
export * from './signedReporting.ts';
export * from './storedAnswers.ts';
export * from './submitDeclaration.ts';
export * from './tables.ts';
export * from './takeAccountFile.ts';
export * from './takeAccounts.ts';
export * from './taxForm.ts';
export * from './taxSubject.ts';
export * from './tin.ts';
export * from './upsertAccounts.ts';
export * from './usTin.ts';
export * from './walkAccounts.ts';
export * from './watchForm.ts';
export * from './writePackage.ts';
