/**
 * The cluster's store: MongoDB through its official driver. Every read comes from the primary and
 * every write is on a majority's journals before it is answered.
 */
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { type AnyTable, DomainError, plainTable } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import type { TransactionMode } from '../capabilities.ts';
import { noCrashPoints, type OnCrashPoint } from '../crashPoints.ts';
import type { Storage } from '../storage.ts';
import type { AppendTools } from './append.ts';
import { auditStore } from './auditStore.ts';
import { heldHeads } from './chainHead.ts';
import { ChainSessions } from './chainSessions.ts';
import { type Collections, collectionsOf, prepareCollections } from './collections.ts';
import { toStoreError, withStoreErrors } from './errors.ts';
import { leaseStore, setAsideStore } from './outboxLeases.ts';
import { outboxStore } from './outboxStore.ts';
import { findTransactions } from './probe.ts';
import { rollAllForward } from './rollForward.ts';
import { outdatedTables, prepareTables } from './tableCollections.ts';
import { tableForm } from './tableForm.ts';
import { tablesOf } from './tables.ts';

/** Not the URL's to weaken. */
const SAFETY: MongoClientOptions = {
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true },
  retryWrites: true,
};
/** The URL may say otherwise. */
const DEFAULTS: Readonly<Record<string, number | string>> = {
  appName: 'compliance',
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 30_000,
  maxPoolSize: 20,
};
const DATABASE_DEFAULT = 'compliance';
/** The driver's name for a URL without a database; no installation of ours is called so. */
const DATABASE_UNNAMED = 'test';
/** Grows with the form of documents, with collections and with indexes; older code refuses it. */
const SCHEMA_VERSION = 8;

export interface MongoOptions {
  readonly url: string;
  /** Declared tables. */
  readonly tables?: readonly AnyTable[];
  readonly clock: Clock;
  readonly transactions?: TransactionMode;
  readonly onWarning?: (text: string) => void;
  /** Never called: the driver connects again by itself. */
  readonly onFatal?: (error: Error) => void;
  /** For tests of crashes: called with each point that a write has passed. */
  readonly onCrashPoint?: OnCrashPoint;
}

export async function openMongoStorage(options: MongoOptions): Promise<Storage> {
  const client = createClient(options.url);
  try {
    await client.connect();
    return await open(client, options);
  } catch (error) {
    await client.close();
    throw toStoreError(error);
  }
}

function createClient(url: string, more: MongoClientOptions = {}): MongoClient {
  const unsaid = Object.entries(DEFAULTS).filter(([name]) => !url.includes(`${name}=`));
  try {
    return new MongoClient(url, { ...Object.fromEntries(unsaid), ...SAFETY, ...more });
  } catch (cause) {
    // Not the URL itself: it may hold a password.
    throw new DomainError('store-unavailable', { detail: 'MONGODB_URL: not a valid URL', cause });
  }
}

async function open(client: MongoClient, options: MongoOptions): Promise<Storage> {
  const db = databaseOf(client);
  const hasTransactions = await findTransactions(client, db, options.transactions ?? 'auto');
  const collections = collectionsOf(db);
  const patiently = (work: (db: Db) => Promise<void>) => withPatience(options.url, work);
  await prepareSchema(collections, patiently);
  const forms = (options.tables ?? []).map((table) => tableForm(plainTable(table)));
  if (!hasTransactions) {
    options.onWarning?.('MongoDB without transactions: groups are written by intent');
  }
  const onCrashPoint = options.onCrashPoint ?? noCrashPoints;
  const sessions = new ChainSessions(client);
  const tools: AppendTools = {
    sessions,
    collections,
    forms: new Map(forms.map((form) => [form.name, form])),
    hasTransactions,
    clock: options.clock,
    onCrashPoint,
  };
  await rollAllForward(tools);
  // After the writes that an earlier process left are finished: these know only the fields of their
  // time.
  const outdated = await outdatedTables(collections, forms);
  if (outdated.length > 0) {
    await patiently((patient) => prepareTables(patient, collections, outdated));
  }
  return assemble(tools, client, db);
}

function databaseOf(client: MongoClient): Db {
  const name = client.options.dbName;
  return client.db(name === DATABASE_UNNAMED ? DATABASE_DEFAULT : name);
}

/**
 * A connection of its own, on which an answer may take as long as it takes: an index over the
 * evidence of years is built for minutes. With a limit each start would give up and begin it anew.
 */
async function withPatience(url: string, work: (db: Db) => Promise<void>): Promise<void> {
  const client = createClient(url, { socketTimeoutMS: 0 });
  try {
    await work(databaseOf(client));
  } finally {
    await client.close();
  }
}

function assemble(tools: AppendTools, client: MongoClient, db: Db): Storage {
  const { collections, hasTransactions } = tools;
  return {
    technology: 'mongo',
    capabilities: {
      supportsMultiDocumentTransactions: hasTransactions,
      supportsManyHosts: true,
    },
    audit: withStoreErrors(auditStore(tools)),
    outbox: withStoreErrors({
      ...outboxStore(collections),
      ...leaseStore(collections),
      ...setAsideStore(collections),
    }),
    tables: withStoreErrors(tablesOf(tools)),
    ...withStoreErrors({
      heldHeads: () => heldHeads(collections),
      ping: async () => void (await db.command({ ping: 1 })),
      time: async () => timeOf(await db.command({ hello: 1 })),
    }),
    close: () => client.close(),
  };
}

/** Every server says its time, to every user. */
const timeOf = ({ localTime }: { readonly localTime?: unknown }): EpochMs | undefined =>
  localTime instanceof Date ? (localTime.getTime() as EpochMs) : undefined;

/** The schema's number is written last, so where it stands the collections and indexes do. */
async function prepareSchema(
  { state }: Collections,
  patiently: (work: (db: Db) => Promise<void>) => Promise<void>,
): Promise<void> {
  const seen = (await state.findOne({ _id: 'schema' }))?.no ?? 0;
  if (seen === SCHEMA_VERSION) return;
  if (seen > SCHEMA_VERSION) {
    throw new DomainError('store-unavailable', {
      detail:
        `MongoDB: written by a newer version of this program (schema ${seen}, ` +
        `this one knows ${SCHEMA_VERSION})`,
    });
  }
  await patiently(prepareCollections);
  await state.updateOne({ _id: 'schema' }, { $max: { no: SCHEMA_VERSION } }, { upsert: true });
}
