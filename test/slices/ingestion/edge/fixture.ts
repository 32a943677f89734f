/**
 * The operations of the lists over a real store and the real evidence, called without sockets. Who
 * calls is a header: an account of the issuer, with the roles that its token would name.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  answerTags,
  createAuditLog,
  type EventDraft,
  type KeyRing,
  newKeyRing,
  readTrail,
  type TrailEntry,
} from '#core/audit';
import {
  approvalMessage,
  createTenantDirectory,
  type DualControlSubject,
  identityStore,
  type Person,
  personTable,
  type Role,
  type Tenant,
  tenantTable,
} from '#core/identity';
import {
  chainOf,
  DomainError,
  PLATFORM_CHAIN,
  type SourceId,
  type TableChange,
} from '#core/kernel';
import { type Clock, type EpochMs, toTimestamp } from '#platform/clock';
import type { DeploymentMode } from '#platform/config';
import { type Signer, signerFromSeed } from '#platform/crypto';
import { FETCH_ALLOWED_HOSTS } from '#platform/outbound/fetchGuard';
import { createOutboundGuard, type ResolveHost } from '#platform/outbound/outboundGuard';
import { systemRandom } from '#platform/random';
import { secretBox } from '#platform/secretBox';
import {
  type ListRun,
  runStore,
  runTable,
  type ScheduleAudit,
  signedSources,
} from '#slices/ingestion';
import { createSnapshotLinks, listStore, sourceTable } from '#slices/lists';
import { createCursorCodec } from '../../../../src/api/cursor.ts';
import { createIdempotencyGate } from '../../../../src/api/middleware/idempotency.ts';
import type { Operation } from '../../../../src/api/operation.ts';
import { TABLES } from '../../../../src/app/tables.ts';
import { listApprovals } from '../../../../src/slices/ingestion/edge/approvals.ts';
import { createListOperators } from '../../../../src/slices/ingestion/edge/listOperators.ts';
import {
  type ListServiceOptions,
  listServiceOperations,
  listServicePages,
} from '../../../../src/slices/ingestion/edge/operations.ts';
import { openFolderBlobStore, type Storage } from '../../../../src/storage/index.ts';
import { fakeRequest, gatewayOf, TENANT } from '../../../api/fakes.ts';
import { settings as tenantSettings } from '../../../core/identity/memory.ts';
import type { MakeHarness } from '../../../storage/contract/harness.ts';
import { Reply } from './reply.ts';

export const ISSUER = 'https://issuer.test';
const START = Date.UTC(2026, 0, 5, 12);
export const keyOf = (seed: number): Signer => signerFromSeed(new Uint8Array(32).fill(seed));

function personOf(name: string, seed: number, roles: readonly Role[], accounts = [name]): Person {
  return {
    accounts: accounts.map((subject) => ({ issuer: ISSUER, subject })),
    id: `0190dddd-0000-7000-8000-0000000000${String(seed).padStart(2, '0')}`,
    keys: [
      {
        keyId: `key-${name}`,
        publicKey: Buffer.from(keyOf(seed).publicKey.raw).toString('base64'),
        validFrom: (START - 1_000) as EpochMs,
      },
    ],
    name,
    roles,
    tenantId: TENANT,
    version: 1,
  };
}

export const PEOPLE = {
  adam: personOf('adam', 14, ['admin']),
  aude: personOf('aude', 13, ['auditor']),
  carl: personOf('carl', 11, ['compliance_officer'], ['carl', 'carl-dsi']),
  dora: personOf('dora', 12, ['dsi_admin']),
  omar: personOf('omar', 15, ['agent_l2']),
};
export type Name = keyof typeof PEOPLE;
const SEEDS: Readonly<Record<Name, number>> = { adam: 14, aude: 13, carl: 11, dora: 12, omar: 15 };

export interface Call {
  readonly method?: string;
  readonly as?: string;
  readonly roles?: readonly Role[];
  readonly body?: object;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: a fresh one. */
  readonly key?: string;
}

export type ListServiceParts = ListServiceOptions & {
  readonly approvals: ReturnType<typeof listApprovals>;
  readonly keyRing: KeyRing;
  readonly storage: Storage;
};

export type ListService = Awaited<ReturnType<typeof openListService>>;

const unresolvable: ResolveHost = async () => {
  throw new Error('no name is resolved here');
};

export async function openListService(
  makeHarness: MakeHarness,
  options: {
    readonly mode?: DeploymentMode;
    readonly operator?: boolean;
    /** Absent: no name can be resolved. */
    readonly resolve?: ResolveHost;
    /** The operations of another slice beside it. */
    readonly beside?: (parts: ListServiceParts) => readonly Operation[];
  } = {},
) {
  const harness = await makeHarness();
  const storage = await harness.open(TABLES);
  const identity = identityStore(storage.tables);
  const lists = listStore(storage.tables);
  const runs = runStore(storage.tables);
  const woken: string[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'list-service-'));
  const blobs = await openFolderBlobStore({ directory: folder });
  let offsetMs = 0;
  const clock: Clock = {
    monotonicMs: () => performance.now(),
    now: () => (START + offsetMs) as EpochMs,
  };
  const random = systemRandom;
  const answers = answerTags(secretBox([new Uint8Array(32).fill(5)], random));
  const signer = keyOf(1);
  const audit = createAuditLog({
    answers,
    clock,
    holder: 'test',
    random,
    signer,
    store: storage.audit,
  });
  const tenant: Tenant = {
    createdAt: clock.now(),
    id: TENANT,
    kind: 'live',
    name: 'Test',
    settings: options.operator === undefined ? {} : { 'lists.operator': options.operator },
    version: 1,
  };
  const entryOf = (): EventDraft => ({
    eventId: crypto.randomUUID() as never,
    members: { action: 'test' },
    occurredAt: clock.now(),
    open: {},
    type: 'entry',
  });
  const commit = (...changes: TableChange[]) =>
    audit.commit(chainOf(TENANT), {
      bus: [],
      changes,
      events: [entryOf()],
    });
  const put = (person: Person, versionExpected: number) => personTable.put(person, versionExpected);
  await commit(
    tenantTable.insert(tenant),
    ...Object.values(PEOPLE).map((person) => put(person, 0)),
  );
  const mode = options.mode ?? 'connected';
  const keyRing = newKeyRing(signer.publicKey);
  const service = {
    blobs,
    clock,
    commit: audit.commit,
    cursors: createCursorCodec(new Uint8Array(32).fill(2)),
    guard: createOutboundGuard({
      allowed: [],
      resolve: options.resolve ?? unresolvable,
      variable: FETCH_ALLOWED_HOSTS,
    }),
    isAirGapped: mode === 'air-gapped',
    links: createSnapshotLinks({ clock, key: new Uint8Array(32).fill(3) }),
    listPersons: identity.listPersons,
    lists,
    operators: createListOperators({
      mode,
      tenants: createTenantDirectory({ clock, settings: tenantSettings, store: identity }),
    }),
    origin: () => 'https://api.test',
    random,
    runs,
    signed: signedSources({ audit: storage.audit, keyRing }),
    signer,
    wake: (runId: string) => void woken.push(runId),
  };
  const approvals = listApprovals(service);
  const beside = options.beside?.({ ...service, approvals, keyRing, storage }) ?? [];
  const gateway = gatewayOf([...listServiceOperations(service), ...beside], {
    authenticator: {
      async authenticate(request) {
        const subject = request.header('x-test-user');
        if (subject === undefined) throw new DomainError('credential-missing');
        const roles = (request.header('x-test-roles') ?? '').split(',') as Role[];
        const isKey = subject.startsWith('key-');
        return {
          environment: request.header('x-test-environment') === 'sandbox' ? 'sandbox' : 'live',
          id: isKey ? subject : `${ISSUER}|${subject}`,
          kind: isKey ? 'api-key' : 'user',
          mfa: true,
          roles,
          tenantId: TENANT,
        };
      },
    },
    checkReplies: true,
    idempotency: createIdempotencyGate({ answers, clock, store: storage.audit }),
    pages: listServicePages(service),
  });

  async function call(path: string, given: Call = {}): Promise<Reply> {
    const { as = 'carl', body, method = 'GET', query = '' } = given;
    const person = PEOPLE[as as Name] as Person | undefined;
    const roles = given.roles ?? person?.roles ?? ['dsi_admin'];
    const reply = await gateway.handler(
      fakeRequest({
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(method !== 'GET' && { 'idempotency-key': given.key ?? crypto.randomUUID() }),
          'x-test-roles': roles.join(','),
          'x-test-user': as,
          ...given.headers,
        },
        method,
        path,
        query,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    return new Reply(reply);
  }

  return {
    approvals,
    blobs,
    call,
    clock,
    commit,
    keyRing,
    advance: (ms: number) => {
      offsetMs += ms;
    },
    /** Headers of an approval, signed over `subject` by `approver` for `author`. */
    signed(
      subject: DualControlSubject,
      by: { author: Name; approver: Name; at?: EpochMs },
    ): Record<string, string> {
      const timestamp = toTimestamp(by.at ?? clock.now());
      const [author, approver] = [PEOPLE[by.author].id, PEOPLE[by.approver].id];
      const message = approvalMessage(subject, { approver, author, timestamp });
      return {
        'x-approval-signature': Buffer.from(keyOf(SEEDS[by.approver]).sign(message)).toString(
          'base64',
        ),
        'x-approval-timestamp': timestamp,
        'x-approval-user-id': approver,
        'x-user-id': author,
      };
    },
    async close() {
      await audit.close();
      await storage.close();
      await harness.dispose();
      await rm(folder, { force: true, recursive: true });
    },
    /** Without a credential. */
    page: async (path: string, headers: Record<string, string> = {}) =>
      new Reply(await gateway.handler(fakeRequest({ headers, path }))),
    findPerson: (name: Name) => identity.findPerson(TENANT, PEOPLE[name].id),
    personId: (name: Name) => PEOPLE[name].id,
    put,
    runs,
    storage,
    woken,
    source: (id: string) => lists.findSource(id as SourceId),
    rows: (id: string): Promise<readonly ScheduleAudit[]> =>
      runs.listScheduleAudit({ limit: 100, sourceId: id as SourceId }),
    async entries(action: string): Promise<TrailEntry[]> {
      const ask = { afterSeq: 0, chainId: PLATFORM_CHAIN, filter: { type: action }, limit: 100 };
      return [...(await readTrail(storage.audit, ask)).entries];
    },
    async endRun(run: ListRun, end: Partial<ListRun>): Promise<void> {
      const ended: ListRun = { ...run, ...end, finishedAt: clock.now(), version: run.version + 1 };
      const source = await lists.findSource(run.sourceId);
      if (source === undefined) throw new Error('no source');
      const { runningRunId: _, ...rest } = source;
      const freed = { ...rest, lastStatus: ended.status, version: source.version + 1 };
      await audit.commit(PLATFORM_CHAIN, {
        bus: [],
        changes: [runTable.put(ended, run.version), sourceTable.put(freed, source.version)],
        events: [entryOf()],
      });
    },
  };
}
