/** The log of transactions over the model's tables, with a chain that is sealed and signed. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ERASED_ACTION, Erasures, entry } from '#core/audit';
import { DataKeys, dataKeyTable } from '#core/blobs';
import { type AnyTable, chainOf, type Table, type Tables, type TenantId } from '#core/kernel';
import { type EpochMs, systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  checkLog,
  type Format,
  findTransaction,
  ingestTarget,
  type LoggedTransaction,
  listTransactions,
  type OpenPartyScreening,
  partyQueries,
  type TakeAsk,
  type Transaction,
  takeTransactions,
  transactionFileTable,
  transactionLogHeadTable,
  transactionLogTable,
  transactionMatchTable,
  transactionMessageTable,
  transactionStateTable,
} from '#slices/monitoring';
import { registeredHitTable, registeredScreeningTable, screeningSettings } from '#slices/screening';
import { settleTransaction } from '../../../src/slices/monitoring/settleTransaction.ts';
import { signedHouse } from '../../storage/signedHouse.ts';
import { SETTINGS } from '../policies/policyDesk.ts';
import { CONTEXT } from './messages.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const OTHER_TENANT = '0190bbbb-0000-7000-8000-00000000000b' as TenantId;

/** The n-th transaction, as it comes out of any reader. */
export function transactionOf(n: number, changes: object = {}): Transaction {
  const settled = settleTransaction(
    {
      account_id: 'A-1',
      amount: '10',
      creditor: { name: 'Tarek Velmorani' },
      currency: 'EUR',
      direction: 'debit',
      occurred_at: '2026-03-05T10:00:00Z',
      tx_id: `T-${n}`,
      ...changes,
    },
    CONTEXT,
  );
  if ('transaction' in settled) return settled.transaction;
  throw new Error(JSON.stringify(settled.violations));
}

/** Everybody was compared before, at the first transaction, and is on no list. */
const nobodyIsListed: OpenPartyScreening = async () => ({
  remember: () => undefined,
  screen: async (transactions) =>
    transactions.map((one) => ({
      parties: partyQueries(one).map(({ place, reading, role }) => ({
        outcome: { known: { decision: 'CLEAR', since: 1 } },
        role,
        ...(place !== undefined && { place }),
        ...(reading !== undefined && { reading }),
      })),
    })),
  terms: {
    listSet: { listVersion: 'f'.repeat(64), references: [] },
    settings: SETTINGS.defaults.of(screeningSettings),
  },
});

export function openLedger(
  screening: OpenPartyScreening = nobodyIsListed,
  more: readonly AnyTable[] = [],
) {
  const house = signedHouse([
    dataKeyTable,
    registeredHitTable,
    registeredScreeningTable,
    transactionFileTable,
    transactionLogHeadTable,
    transactionLogTable,
    transactionMatchTable,
    transactionMessageTable,
    transactionStateTable,
    ...more,
  ]);
  const blobs = new Map<string, Uint8Array>();
  const alterations: ((table: AnyTable, record: object) => object)[] = [];
  const asAltered = <R>(table: AnyTable, record: R): R =>
    alterations.reduce((one, alter) => alter(table, one), record as object) as R;
  const tables: Pick<Tables, 'find' | 'findMany' | 'findUnique' | 'page'> = {
    findUnique: house.tables.findUnique,
    find: async (table, key) => {
      const found = await house.tables.find(table, key);
      return found && asAltered(table, found);
    },
    findMany: async (table, keys) =>
      (await house.tables.findMany(table, keys)).map((one) => asAltered(table, one)),
    page: async (table, ask) => {
      const page = await house.tables.page(table, ask);
      return { ...page, records: page.records.map((one) => asAltered(table, one)) };
    },
  };
  const dataKeys = new DataKeys({
    master: new Uint8Array(32),
    random: systemRandom,
    tables,
  });
  const ports = {
    ...house,
    blobs: memoryBlobs(blobs),
    clock: systemClock,
    dataKeys,
    erasures: new Erasures(house),
    random: systemRandom,
    screening,
    tables,
  };
  return {
    /** Somebody writes past the service: from now on these members are read. */
    alter: <R extends object>(table: Table<R>, which: Partial<R>, members: Partial<R>) => {
      alterations.push((of, record) => {
        const isIt = Object.entries(which).every(
          ([name, value]) => (record as Record<string, unknown>)[name] === value,
        );
        return of === table && isIt ? { ...record, ...members } : record;
      });
    },
    blobs,
    check: (tenantId = TENANT) => checkLog(ports, tenantId),
    find: (txId: string, tenantId = TENANT) => findTransaction(ports, { tenantId, txId }),
    house,
    list: (limit = 100, before?: number, tenantId = TENANT) =>
      listTransactions(ports, { limit, tenantId, ...(before !== undefined && { before }) }),
    ports,
    /** The entry of an erasure, by itself. */
    tellErased: ({ ingestId, place, tenantId }: LoggedTransaction) =>
      house.commit(chainOf(tenantId), {
        bus: [],
        changes: [],
        events: [
          entry(ports, {
            action: ERASED_ACTION,
            actor: 'system:erasure',
            members: { erased_in: ingestTarget(ingestId), ordinals: [place] },
            target: ingestTarget(ingestId),
          }),
        ],
      }),
    take: (
      transactions: readonly Transaction[],
      {
        at,
        format = 'json_service',
        ...more
      }: Partial<TakeAsk> & { readonly at?: EpochMs; readonly format?: Format } = {},
    ) =>
      takeTransactions(
        at === undefined ? ports : { ...ports, clock: { ...ports.clock, now: () => at } },
        {
          actor: 'key:1',
          format,
          raw: Buffer.from(JSON.stringify(transactions)),
          read: transactions.map((transaction, index) => ({ index, transaction })),
          refusals: [],
          requestedBy: 'key-1',
          sandbox: true,
          tenantId: TENANT,
          ...more,
        },
      ),
  };
}

function memoryBlobs(blobs: Map<string, Uint8Array>) {
  return {
    get: async (address: string) => blobs.get(address),
    open: async (address: string) => {
      const bytes = blobs.get(address);
      return bytes && Readable.from([bytes]);
    },
    put: async (given: Uint8Array | AsyncIterable<Uint8Array>) => {
      const pieces: Uint8Array[] = [];
      if (given instanceof Uint8Array) pieces.push(given);
      else for await (const piece of given) pieces.push(piece);
      const bytes = Buffer.concat(pieces);
      const address = createHash('sha256').update(bytes).digest('hex');
      blobs.set(address, bytes);
      return { address, bytes: bytes.length };
    },
  };
}
