/** Institutions, books of accounts and their imports as their entries made them. */
import type { SignedRecordPorts } from '#core/audit';
import type { Tables } from '#core/kernel';
import { bookDigest, bookTarget } from './accountBooks.ts';
import { importDigest, importTarget } from './accountFiles.ts';
import { notificationDigest, notificationTarget } from './applyAnswer.ts';
import { channelDigest, channelTarget } from './channels.ts';
import { DECLARATION_ACTIONS, declarationDigest, declarationTarget } from './declarationSteps.ts';
import { declarationTable } from './declarationTables.ts';
import { ffiListDigest, ffiListTarget } from './ffiList.ts';
import { channelTable, notificationTable } from './filingTables.ts';
import type { TaxReadPorts } from './ports.ts';
import { fiDigest, fiTarget } from './reportingFi.ts';
import { signedTable } from './signedTable.ts';
import { accountBookTable, accountImportTable, ffiListTable, reportingFiTable } from './tables.ts';

/** Every action that changes a book. */
const OF_BOOKS = ['tcr.accounts.taken', 'tcr.import.received', 'tcr.import.ended'];

/** One of each for a process. */
export const signedReporting = (
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
): Pick<
  TaxReadPorts,
  | 'signedBooks'
  | 'signedChannels'
  | 'signedDeclarations'
  | 'signedFfiLists'
  | 'signedFis'
  | 'signedImports'
  | 'signedNotifications'
> => ({
  signedBooks: signedTable(ports, {
    actions: OF_BOOKS,
    digestOf: bookDigest,
    member: 'book_digest',
    noun: 'accounts',
    table: accountBookTable,
    targetOf: bookTarget,
  }),
  signedChannels: signedTable(ports, {
    actions: ['tcr.channel.configured'],
    digestOf: channelDigest,
    member: 'channel_digest',
    noun: 'channel',
    table: channelTable,
    targetOf: channelTarget,
  }),
  signedDeclarations: signedTable(ports, {
    actions: DECLARATION_ACTIONS,
    digestOf: declarationDigest,
    member: 'declaration_digest',
    noun: 'declaration',
    table: declarationTable,
    targetOf: declarationTarget,
  }),
  signedFfiLists: signedTable(ports, {
    actions: ['tcr.ffi_list.imported'],
    digestOf: ffiListDigest,
    member: 'list_digest',
    noun: 'list',
    table: ffiListTable,
    targetOf: ffiListTarget,
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
  signedNotifications: signedTable(ports, {
    actions: ['tcr.notification.received', 'tcr.notification.settled'],
    digestOf: notificationDigest,
    member: 'notification_digest',
    noun: 'notification',
    table: notificationTable,
    targetOf: notificationTarget,
  }),
});
