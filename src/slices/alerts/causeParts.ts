/** What causes of alerts are read with, built from whatever process holds the installation. */
import { type AuditStore, type KeyRing, signedEvents } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import type { Port, Question, Tables } from '#core/kernel';
import { batchStore, signedResults } from '#slices/batches';
import {
  customersOfPayments,
  listChangeSubject,
  listedPartyPayments,
  ruleAlertSubject,
} from './asks.ts';
import type { AlertCustomersPorts } from './customersOfAlerts.ts';

/** What a process of any kind has for them. */
export interface CauseMeans {
  readonly blobs: BlobStore;
  readonly dataKeys: DataKeys;
  readonly keyRing: KeyRing;
  readonly storage: { readonly audit: AuditStore; readonly tables: Tables };
  ask<Asked extends Question>(port: Port<Asked>): Asked;
  once<Part>(make: (process: this) => Part): Part;
}

/** One for the process: what results are read with keeps what it has verified. */
export const causePartsOf = (process: CauseMeans): AlertCustomersPorts => process.once(open);

function open(process: CauseMeans): AlertCustomersPorts {
  const { blobs, dataKeys, keyRing, storage } = process;
  const { audit, tables } = storage;
  return {
    audit,
    batches: batchStore(tables),
    customersOfPayments: process.ask(customersOfPayments),
    events: signedEvents({ audit, keyRing }),
    listChangeSubject: process.ask(listChangeSubject),
    listedPartyPayments: process.ask(listedPartyPayments),
    results: signedResults({ audit, blobs, dataKeys, keyRing }),
    ruleAlertSubject: process.ask(ruleAlertSubject),
    tables,
  };
}
