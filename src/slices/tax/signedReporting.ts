/** Institutions, books of accounts and their imports as their entries made them. */
import type { SignedRecordPorts } from '#core/audit';
import type { Tables } from '#core/kernel';
import { bookDigest, bookTarget } from './accountBooks.ts';
import { importDigest, importTarget } from './accountFiles.ts';
import { declarationDigest, declarationTarget } from './declarations.ts';
import type { TaxReadPorts } from './ports.ts';
import { fiDigest, fiTarget } from './reportingFi.ts';
import { signedTable } from './signedTable.ts';
import {
  accountBookTable,
  accountImportTable,
  declarationTable,
  reportingFiTable,
} from './tables.ts';

/** Every action that changes a book. */
const OF_BOOKS = ['tcr.accounts.taken', 'tcr.import.received', 'tcr.import.ended'];

/** One of each for a process. */
export const signedReporting = (
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
): Pick<TaxReadPorts, 'signedBooks' | 'signedDeclarations' | 'signedFis' | 'signedImports'> => ({
  signedBooks: signedTable(ports, {
    actions: OF_BOOKS,
    digestOf: bookDigest,
    member: 'book_digest',
    noun: 'accounts',
    table: accountBookTable,
    targetOf: bookTarget,
  }),
  signedDeclarations: signedTable(ports, {
    actions: [
      'tcr.declaration.created',
      'tcr.declaration.generation_ordered',
      'tcr.declaration.generated',
      'tcr.declaration.cancelled',
    ],
    digestOf: declarationDigest,
    member: 'declaration_digest',
    noun: 'declaration',
    table: declarationTable,
    targetOf: declarationTarget,
  }),
  signedFis: signedTable(ports, {
    actions: ['tcr.reporting_fi.stated'],
    digestOf: fiDigest,
    member: 'fi_digest',
    noun: 'institution',
    table: reportingFiTable,
    targetOf: fiTarget,
  }),
  signedImports: signedTable(ports, {
    actions: OF_BOOKS,
    digestOf: importDigest,
    member: 'import_digest',
    named: 'import',
    noun: 'import',
    table: accountImportTable,
    targetOf: importTarget,
  }),
});
