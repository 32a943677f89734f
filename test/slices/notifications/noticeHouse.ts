/**
 * Notifications over a real store and the real evidence, with a clock that is moved. Events are
 * handed on as reactions do; messages are offered to runners as the loop of a worker does.
 */
import { vi } from 'vitest';
import { type CommitEvidence, createAuditLog, entry, newKeyRing, readTrail } from '#core/audit';
import { identityStore, type Person, signedIdentityStore } from '#core/identity';
import { type BusTopic, chainOf } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { LeasedRunner, Room } from '#core/work';
import { signerFromSeed } from '#platform/crypto';
import type { Locale } from '#platform/locales';
import { systemRandom } from '#platform/random';
import {
  type Condition,
  closeWhatIsOver,
  conditionTable,
  dueMessages,
  type Mailer,
  messageWork,
  type NoticeMessage,
  type NoticePorts,
  noticeMessageTable,
  noticeTable,
  type OperatorHook,
  onApprovalAwaited,
  onApprovalDecided,
  onApprovalLate,
  onCertificateExpiring,
  onFailed,
  onFailing,
  onFormEnding,
  onNews,
  onPrivacyReminder,
  onRecovered,
  type SendPorts,
} from '#slices/notifications';
import { createAdministration } from '#slices/tenants';
import { endpointTable, type WebhookEndpoint } from '#slices/webhooks';
import { SETTINGS } from '../../../src/app/sliceRows.ts';
import { SettingsTable } from '../../../src/core/identity/settingsTable.ts';
import { sendCodeOf } from '../../../src/slices/notifications/edge/jobs.ts';
import type { MakeHarness } from '../../storage/contract/harness.ts';
import { quietLog } from '../../workers/quietWorker.ts';

export const ENDPOINT = '0190cccc-0000-7000-8000-00000000000c';
export const ACTOR = 'cli:test' as const;

const HANDLERS = {
  'webhooks.delivery.failed': onFailed,
  'webhooks.endpoint.failing': onFailing,
  'webhooks.endpoint.recovered': onRecovered,
  'webhooks.certificate.expiring': onCertificateExpiring,
  'webhooks.endpoint.disabled': onNews,
  'webhooks.endpoint.disabling': onNews,
  'webhooks.endpoint.moved': onNews,
  'privacy.request.reminder': onPrivacyReminder,
  'risk.approval.awaited': onApprovalAwaited,
  'risk.approval.decided': onApprovalDecided,
  'risk.approval.late': onApprovalLate,
  'tcr.form.ending': onFormEnding,
} as const satisfies Partial<Record<BusTopic, unknown>>;
type Topic = keyof typeof HANDLERS;

/** For whatever comes by itself, on a busy machine too. */
export const WAIT = { interval: 10, timeout: 30_000 };

export interface HouseOptions {
  readonly operations?: Partial<NoticePorts['operations']>;
}

export type NoticeHouse = Awaited<ReturnType<typeof openHouse>>;

/** A store with its evidence: opened once for many tests, each of which has a tenant of its own. */
export async function openStore(makeHarness: MakeHarness) {
  const harness = await makeHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const signer = signerFromSeed(new Uint8Array(32).fill(7));
  const keyRing = newKeyRing(signer.publicKey);
  const random = systemRandom;
  const audit = createAuditLog({ clock, holder: 'test', random, signer, store: storage.audit });
  return {
    audit,
    clock,
    harness,
    keyRing,
    random,
    storage,
    async close() {
      await audit.close();
      await storage.close();
      await harness.dispose();
    },
  };
}

export type NoticeStore = Awaited<ReturnType<typeof openStore>>;

export async function openHouse(store: NoticeStore, options: HouseOptions = {}) {
  const { audit, clock, harness, keyRing, random, storage } = store;
  const { tables } = storage;
  const commit: CommitEvidence = (chainId, of) => audit.commit(chainId, of);
  const plain = identityStore(tables);
  const settings = new SettingsTable(SETTINGS);
  const administration = createAdministration({ audit, clock, random, settings, store: plain });
  const signed = () => signedIdentityStore(plain, { audit: storage.audit, clock, keyRing });
  const { id: tenantId } = await administration.tenants.create({
    actor: ACTOR,
    kind: 'live',
    name: 'Bank',
  });
  const operations = { hasHook: false, locale: 'en', mails: ['ops@house.example'] } as const;
  const ports: NoticePorts = {
    clock,
    commit,
    operations: { ...operations, ...options.operations },
    personsOf: (of) => signed().listPersons(of),
    random,
    tables,
    wake: () => undefined,
  };
  let counter = 0;
  const all = async <R extends object>(table: Parameters<typeof tables.page>[0]) =>
    (await tables.page(table, { equal: { tenantId }, index: 'key', limit: 1_000 }))
      .records as readonly R[];
  const house = {
    ...ports,
    administration,
    auditStore: storage.audit,
    clock,
    harness,
    keyRing,
    ports,
    storage,
    tenantId,
    person: (name: string, contact: { email?: string; locale?: Locale }, role = 'admin') =>
      administration.persons.add({
        accounts: [],
        actor: ACTOR,
        name,
        roles: [role],
        tenantId,
        ...contact,
      }),
    /** An endpoint as webhooks keep it. */
    async endpoint(given: Partial<WebhookEndpoint> = {}): Promise<void> {
      const endpoint: WebhookEndpoint = {
        catalog: 'A',
        createdAt: clock.now(),
        description: '',
        endpointId: ENDPOINT,
        events: ['*'],
        generation: 1,
        isRevealable: false,
        secrets: [],
        tenantId,
        updatedAt: clock.now(),
        url: 'https://hooks.example/in',
        version: 1,
        ...given,
      };
      const key = { endpointId: ENDPOINT, tenantId };
      const before = await tables.find(endpointTable, key);
      const next = { ...endpoint, version: (before?.version ?? 0) + 1 };
      const changes = [endpointTable.put(next, before?.version ?? 0)];
      const told = { action: 'webhook.endpoint.changed', actor: ACTOR, target: ENDPOINT } as const;
      await commit(chainOf(tenantId), {
        bus: [],
        changes,
        events: [entry({ clock, random }, told)],
      });
    },
    /** The next event of the outbox. */
    event(topic: Topic, payload: object = {}): OutboxEvent {
      counter++;
      return {
        createdAt: clock.now(),
        id: `${String(counter).padStart(12, '0')}-000`,
        partition: tenantId,
        payload: { endpointId: ENDPOINT, ...payload },
        topic,
      };
    },
    hand: (event: OutboxEvent): Promise<void> => HANDLERS[event.topic as Topic](ports, event),
    tell: (topic: Topic, payload: object = {}): Promise<void> =>
      house.hand(house.event(topic, payload)),
    fail: (failureReason = 'http-4xx'): Promise<void> =>
      house.tell('webhooks.delivery.failed', { failureReason }),
    sweep: (): Promise<void> => closeWhatIsOver(ports),
    conditions: () => all<Condition>(conditionTable as never),
    messages: () => all<NoticeMessage>(noticeMessageTable as never),
    async kinds(): Promise<readonly string[]> {
      return (await all<{ readonly kind: string }>(noticeTable as never)).map(({ kind }) => kind);
    },
    async actions(): Promise<readonly string[]> {
      const page = { afterSeq: 0, chainId: chainOf(tenantId), filter: {}, limit: 200 };
      const { entries } = await readTrail(storage.audit, page);
      return entries
        .map(({ action }) => String(action))
        .filter((action) => action.startsWith('notification.'));
    },
    /** What a worker sends with; `ended` has what came of it. */
    worker(
      ways: { readonly mailer?: Mailer; readonly hook?: OperatorHook },
      { holder = 'worker', over = {} }: { holder?: string; over?: Partial<SendPorts> } = {},
    ) {
      const ended: NoticeMessage[] = [];
      const sending: SendPorts = {
        clock,
        codeOf: sendCodeOf,
        commit,
        hook: ways.hook,
        mailer: ways.mailer,
        onEnded: (message) => void ended.push(message),
        operationsMails: ports.operations.mails,
        personOf: (of, personId): Promise<Person | undefined> => signed().findPerson(of, personId),
        random,
        tables,
        ...over,
      };
      const runner = new LeasedRunner(messageWork(sending), {
        clock,
        holder,
        isGone: (other) => other === 'dead',
        log: quietLog,
        room: new Room(),
        tables,
      });
      return {
        ended,
        runner,
        sending,
        offer: async () => runner.offer(await dueMessages(sending)),
        /** Sends what is due, until nothing is in hand. */
        async send(): Promise<void> {
          await runner.freeSilent();
          const due = await dueMessages(sending);
          runner.offer(due);
          await vi.waitFor(async () => {
            const left = await dueMessages(sending);
            const held = await tables.held(noticeMessageTable, { limit: 100 });
            if (left.length + held.length > 0) throw new Error(`${left.length} are due`);
          }, WAIT);
        },
      };
    },
  };
  return house;
}
