/** Transactions over HTTP: taken into the log, and read from it. */

import { toTimestamp } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import { isWanted } from '#slices/alerts';
import {
  type AdvicePorts,
  adviseOn,
  findTransaction,
  type LogPorts,
  listTransactions,
  openLogOf,
  type ShownTransaction,
} from '#slices/monitoring';
import { policiesInForceOf } from '#slices/policies';
import type { CursorCodec } from '../../../api/cursor.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { evaluateTransactions, messageThread } from '../asks.ts';
import { roles } from '../roles.ts';
import { settings } from '../settings.ts';
import { factsOperations } from './facts.ts';
import { fileOperations, fileSlots } from './files.ts';
import { ingestOperation } from './ingest.ts';
import { partyScreeningOf } from './parts.ts';
import { presentAdvised, presentParty } from './presentation.ts';
import { ratesOperations } from './rates.ts';
import { AdviceResult, TransactionResult, TransactionsPage, TransactionsQuery } from './schemas.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const { blobs, clock, commit, cursors, dataKeys, random, storage, tenants } = process;
  const ports = openLogOf(process);
  const files = {
    blobs,
    clock,
    commit,
    dataKeys,
    random,
    tables: storage.tables,
    wake: (id: string) => process.wake('monitoring', id),
  };
  const advising: AdvicePorts = {
    ...ports,
    evaluate: process.ask(evaluateTransactions),
    isAlerted: async (tenantId) => {
      const { flags } = (await policiesInForceOf(process).of(tenantId)).content;
      return (decision) => isWanted({ raisedFor: flags.auto_alert_typologies }, decision);
    },
  };
  const ingest = ingestOperation(
    {
      ...advising,
      ...ports,
      ...files,
      screening: partyScreeningOf(process),
      settingsOf: async (tenantId) => (await tenants.settings(tenantId)).of(settings),
      thread: () => process.once(openThread),
    },
    fileSlots(),
  );
  return [
    ingest,
    ...fileOperations(files),
    ...ratesOperations({
      ...ports,
      baseOf: async (tenantId) => (await tenants.settings(tenantId)).of(settings).baseCurrency,
      blobs,
      clock,
      commit,
      random,
    }),
    ...factsOperations({
      clock,
      commit,
      random,
      tables: storage.tables,
      zoneOf: async (tenantId) => (await tenants.settings(tenantId)).of(settings).zone,
    }),
    listOperation(ports, cursors),
    getOperation(ports),
    adviceOperation(ports, advising),
  ];
}

async function openThread(process: GatewayProcess) {
  const thread = await process.need(messageThread)();
  process.onClose(() => thread.close());
  return thread;
}

const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'transactions:read',
  tag: 'AML',
} as const;

const listOperation = (ports: LogPorts, cursors: CursorCodec): Operation => ({
  ...READING,
  id: 'listTransactions',
  path: '/v1/aml/transactions',
  summary: 'Transactions, latest first',
  problems: ['evidence-altered'],
  query: TransactionsQuery,
  responses: { 200: { description: 'A page of the log', schema: TransactionsPage } },
  handle: async ({ query, tenantId }: OperationContext) => {
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = query as { cursor?: string; limit?: number };
    const scope = { filters: {}, list: 'listTransactions', tenantId };
    const position = cursor === undefined ? undefined : cursors.decode(scope, cursor);
    const { next, shown } = await listTransactions(ports, {
      limit,
      tenantId,
      ...(position !== undefined && { before: Number(position.key) }),
    });
    const nextCursor =
      next === undefined ? null : cursors.encode(scope, { id: String(next), key: next });
    return { body: { data: shown.map(present), next_cursor: nextCursor }, status: 200 };
  },
});

const getOperation = (ports: LogPorts): Operation => ({
  ...READING,
  id: 'getTransaction',
  path: '/v1/aml/transactions/{tx_id}',
  summary: 'The latest revision of a transaction, held to its evidence',
  problems: ['evidence-altered', 'transaction-unknown'],
  responses: { 200: { description: 'The transaction', schema: TransactionResult } },
  handle: async ({ params, tenantId }: OperationContext) => ({
    body: present(await findTransaction(ports, { tenantId, txId: params.tx_id ?? '' })),
    status: 200,
  }),
});

const adviceOperation = (ports: LogPorts, advising: AdvicePorts): Operation => ({
  ...READING,
  id: 'getTransactionAdvice',
  path: '/v1/aml/transactions/{tx_id}/advice',
  summary: 'What is advised of a transaction, and the alerts that it has raised',
  description:
    'Of its latest revision. `decision` is null until rules have said, unless screening alone ' +
    'makes it final; and once their results are no longer kept.',
  problems: ['evidence-altered', 'transaction-unknown'],
  responses: { 200: { description: 'The advice', schema: AdviceResult } },
  handle: async ({ params, request, tenantId }: OperationContext) => {
    const { row } = await findTransaction(ports, { tenantId, txId: params.tx_id ?? '' });
    const { results } = await adviseOn(advising, {
      own: [row],
      signal: request.signal,
      tenantId,
      txIds: [row.txId],
      waitMs: 0,
    });
    const [advised] = results;
    const { tseq, txId } = row;
    const none = { alerts: [], decided_by: [], decision: null, screening: [] };
    const body = advised === undefined ? { tx_id: txId, tseq, ...none } : presentAdvised(advised);
    return { body, status: 200 };
  },
});

const present = ({ row, state, transaction }: ShownTransaction) => ({
  tx_id: row.txId,
  tseq: row.tseq,
  revision: row.revision,
  source_format: row.format,
  ingest_id: row.ingestId,
  received_at: toTimestamp(row.receivedAt),
  ...(state?.reversedBy !== undefined && { reversed_by: state.reversedBy }),
  ...(state?.alsoIn !== undefined && {
    also_in: state.alsoIn.map(({ format, ingestId }) => ({ format, ingest_id: ingestId })),
  }),
  erased: transaction === undefined,
  screening: (row.parties ?? []).map(presentParty),
  ...(transaction !== undefined && { transaction }),
});
