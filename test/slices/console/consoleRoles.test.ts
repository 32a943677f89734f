/** What the console shows of itself to whom: those whom the operation behind it lets in. */
import { expect, test } from 'vitest';
import { DECIDES_TIER, MAY, REOPENS } from '../../../packages/console/src/roles.ts';
import { DESCRIBED_OPERATIONS } from '../../../scripts/writeDocs.ts';
import { DECIDERS, REOPENERS } from '../../../src/slices/customers/roles.ts';

const ASKED: Readonly<Record<keyof typeof MAY, string>> = {
  approve: 'signApproval',
  evidence: 'getScreeningAudit',
  exclude: 'addExclusion',
  readAlerts: 'listAlerts',
  readBatches: 'listBatches',
  readExclusions: 'listExclusions',
  readLists: 'getListsInForce',
  readScreenings: 'listScreenings',
  replay: 'replayScreening',
  screen: 'screenName',
  workOnAlerts: 'escalateAlert',
  changePolicies: 'savePolicy',
  draftRisk: 'createRiskPolicy',
  readDistribution: 'getRiskDistribution',
  readPolicies: 'listPolicies',
  readRisk: 'listRiskPolicies',
  simulatePolicies: 'simulatePolicy',
  readTax: 'listDeclarations',
  readTaxAccounts: 'listAccounts',
  takeTaxAccounts: 'takeAccounts',
  declareTax: 'createDeclaration',
  fileTax: 'submitDeclaration',
  cancelTax: 'cancelDeclaration',
  readTaxXml: 'getDeclarationXml',
  stateInstitutions: 'stateReportingFi',
  askPrivacy: 'requestPersonalData',
  decidePrivacy: 'approvePrivacyRequest',
  readPrivacy: 'listPrivacyRequests',
  changeForms: 'createForm',
  publishForms: 'publishForm',
  readForms: 'listForms',
  readWorkflows: 'listWorkflows',
  assignCases: 'assignCase',
  confirmCases: 'confirmCaseDecision',
  decideCases: 'decideCase',
  readCases: 'listCases',
  seeDocuments: 'getDocument',
  workOnCases: 'createCase',
  changeRules: 'draftRule',
  publishRules: 'publishRule',
  readRules: 'listRules',
  readTransactions: 'listTransactions',
  sendTransactions: 'ingestTransactions',
  draftReports: 'createStr',
  fileReports: 'submitStr',
  readReports: 'listStr',
  validateReports: 'validateStr',
};

test.each(Object.entries(ASKED))('%s is for the roles of %s', (part, id) => {
  const operation = DESCRIBED_OPERATIONS.find((one) => one.id === id);
  expect([...MAY[part as keyof typeof MAY]].sort()).toEqual([...(operation?.roles ?? [])].sort());
});

test('who decides a case of a tier is whom the API lets in', () => {
  expect(DECIDES_TIER).toEqual(DECIDERS);
  expect(REOPENS).toEqual(REOPENERS);
});
