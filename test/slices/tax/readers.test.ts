/** Who reads whole reports and lists of accounts: fewer than work on classifications. */
import { expect, test } from 'vitest';
import { accountOperations } from '../../../src/slices/tax/edge/accounts.ts';
import { declarationContentOperations } from '../../../src/slices/tax/edge/declarationContent.ts';

const operations = [
  ...accountOperations({} as never),
  ...declarationContentOperations({} as never),
];

test.each([
  ['listAccounts', ['agent_l2', 'compliance_officer', 'auditor']],
  ['getDeclarationXml', ['compliance_officer', 'compliance_director', 'auditor']],
])('%s is for its own roles', (id, roles) => {
  expect(operations.find((one) => one.id === id)?.roles).toEqual(roles);
});
