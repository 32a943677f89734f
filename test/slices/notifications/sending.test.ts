/**
 * Messages on their way, over sockets: each once whatever the number of workers, tried by the plan,
 * and the same mail where its sender was killed.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Mailer,
  type NoticeMessage,
  noticeMessageTable,
  SendFault,
  type SendFaultCode,
} from '#slices/notifications';
import { createOperatorHook } from '../../../src/slices/notifications/operatorHook.ts';
import { createSmtpMailer } from '../../../src/slices/notifications/smtpMailer.ts';
import { onEachStore } from '../../storage/eachStore.ts';
import { replyWith, startReceiver } from '../webhooks/receiver.ts';
import { type Inbox, openInbox } from './inbox.ts';
import { type NoticeHouse, type NoticeStore, openHouse, openStore, WAIT } from './noticeHouse.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

onEachStore((makeHarness) => {
  let store: NoticeStore;
  let house: NoticeHouse;
  let inbox: Inbox;
  let mailer: Mailer;
  beforeAll(async () => {
    store = await openStore(makeHarness);
    inbox = await openInbox();
    mailer = createSmtpMailer(inbox.config);
  });
  afterAll(async () => {
    mailer.close();
    await inbox.close();
    await store.close();
  });
  beforeEach(async () => {
    // What an earlier test left is no news any more.
    store.clock.advance(48 * HOUR_MS);
    house = await openHouse(store);
    inbox.received.length = 0;
    inbox.refuse = () => undefined;
    inbox.taken = () => undefined;
  });

  const mine = async (): Promise<readonly NoticeMessage[]> => house.messages();
  const sentTo = () => inbox.received.flatMap(({ to }) => to).sort();

  test('two workers send each message once, and tell of it in the chain', async () => {
    for (const name of ['ada', 'bea', 'cleo']) {
      await house.person(name, { email: `${name}@bank.example`, locale: 'fr' });
    }
    await house.tell('webhooks.endpoint.failing');
    const workers = ['one', 'two'].map((holder) => house.worker({ mailer }, { holder }));
    await Promise.all(workers.map((worker) => worker.send()));
    await Promise.all(workers.map((worker) => worker.send()));
    expect(sentTo()).toEqual([
      'ada@bank.example',
      'bea@bank.example',
      'cleo@bank.example',
      'ops@house.example',
    ]);
    expect((await mine()).map(({ status, tries }) => [status, tries])).toEqual(
      Array.from({ length: 4 }, () => ['sent', 1]),
    );
    const actions = await house.actions();
    expect(actions.filter((one) => one === 'notification.message.sent')).toHaveLength(4);
    await vi.waitFor(() => expect(workers.flatMap(({ ended }) => ended)).toHaveLength(4), WAIT);
    await Promise.all(workers.map(({ runner }) => runner.close()));
  });

  test('approvers of a risk policy get a letter a reminder, whatever comes twice', async () => {
    const people = { cora: 'compliance_director', dina: 'dsi_admin', mia: 'mlro' } as const;
    for (const [name, role] of Object.entries(people)) {
      await house.person(name, { email: `${name}@bank.example` }, role as 'admin');
    }
    const policy_id = '0190dddd-0000-7000-8000-00000000000d';
    const awaited = (step: number, ...missing_roles: string[]) =>
      house.event('risk.approval.awaited', { missing_roles, policy_id, step });
    const both = ['compliance_director', 'dsi_admin'];
    const send = async (...events: ReturnType<typeof awaited>[]) => {
      inbox.received.length = 0;
      // At least once: a reaction that died before its mark has its event again.
      for (const event of [...events, ...events]) await house.hand(event);
      const workers = ['one', 'two'].map((holder) => house.worker({ mailer }, { holder }));
      await Promise.all(workers.map((worker) => worker.send()));
      // A clock that is set back, and forth, sends nothing again.
      for (const jump of [-HOUR_MS, 2 * HOUR_MS, -HOUR_MS]) {
        store.clock.advance(jump);
        await Promise.all(workers.map((worker) => worker.send()));
      }
      await Promise.all(workers.map(({ runner }) => runner.close()));
      return sentTo();
    };
    expect(await send(awaited(0, ...both))).toEqual(['cora@bank.example', 'dina@bank.example']);
    store.clock.advance(48 * HOUR_MS);
    expect(await send(awaited(1, 'dsi_admin'))).toEqual(['dina@bank.example']);
    store.clock.advance(120 * HOUR_MS);
    const late = house.event('risk.approval.late', { policy_id, submitted_at: null });
    const told = await send(late);
    expect(told).toContain('mia@bank.example');
    expect(new Set(told).size).toBe(told.length);
    const openOnes = async () =>
      (await house.conditions()).filter(({ closedAt }) => closedAt === undefined);
    expect(await openOnes()).toMatchObject([{ code: 'RISK_APPROVAL_LATE' }]);
    await house.hand(house.event('risk.approval.decided', { policy_id, status: 'published' }));
    expect(await openOnes()).toEqual([]);
  });

  test('a sender that is killed before it could write sends the same mail again', async () => {
    await house.tell('webhooks.endpoint.failing');
    // It has the row and was taken by the server; then nothing is heard of it.
    const [message] = await mine();
    const key = { messageId: message?.messageId ?? '', tenantId: house.tenantId };
    const killed = house.worker(
      { mailer },
      { holder: 'dead', over: { commit: () => new Promise(() => {}) } },
    );
    await killed.offer();
    await vi.waitFor(() => expect(inbox.received).toHaveLength(1), WAIT);
    house.clock.advance(MINUTE_MS);
    const next = house.worker({ mailer });
    await vi.waitFor(async () => {
      await next.runner.freeSilent();
      await next.offer();
      expect(inbox.received).toHaveLength(2);
      expect(await house.tables.find(noticeMessageTable, key)).toMatchObject({ status: 'sent' });
    }, WAIT);
    const [first, second] = inbox.received;
    expect(second?.headers.get('message-id')).toBe(`<${key.messageId}@house.example>`);
    expect(second?.raw).toBe(first?.raw);
    await next.runner.close();
  });

  test('messages that wait for their next try hold up nobody, however many and old', async () => {
    // A store of their own: two thousand messages are over some time later.
    const apart = await openStore(makeHarness);
    const crowded = await openHouse(apart);
    const { clock, tables } = crowded;
    const deferred = Array.from({ length: 1_200 }, (_, at) => ({
      channel: 'mail' as const,
      createdAt: clock.now(),
      dueAt: clock.now() + HOUR_MS,
      locale: 'en' as const,
      messageId: `0190aaaa-0000-7000-8000-${String(at).padStart(12, '0')}`,
      noticeId: 'deferred',
      recipient: 'person:deferred',
      status: 'unsent' as const,
      version: 1,
    }));
    for (const tenantId of [crowded.tenantId, '0190bbbb-0000-7000-8000-00000000000b']) {
      const own = deferred.map((one) => ({ ...one, tenantId })) as unknown as NoticeMessage[];
      await tables.insertMissing(noticeMessageTable, own.slice(0, 600));
      await tables.insertMissing(noticeMessageTable, own.slice(600));
    }
    clock.advance(1_000);
    await crowded.tell('webhooks.endpoint.failing');
    const worker = crowded.worker({ mailer });
    await worker.send();
    expect(sentTo()).toEqual(['ops@house.example']);
    await worker.runner.close();
    await apart.close();
  });

  test('tries at 0, 1 m, 5 m, 30 m, 2 h, 6 h and 12 h, and it is given up', async () => {
    await house.tell('webhooks.endpoint.failing');
    const worker = house.worker({ mailer });
    const attempts = vi.fn();
    inbox.refuse = (address) => {
      attempts(address);
      return 451;
    };
    const start = house.clock.now();
    const times = [0, 1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE_MS);
    for (const [place, at] of times.entries()) {
      if (place > 0) {
        house.clock.advance(start + at - 1 - house.clock.now());
        await worker.send();
        expect(attempts).toHaveBeenCalledTimes(place);
        house.clock.advance(1);
      }
      await worker.send();
      expect(attempts).toHaveBeenCalledTimes(place + 1);
      if (place === 0) {
        expect(await mine()).toMatchObject([{ faultCode: 'mail-deferred', status: 'unsent' }]);
      }
    }
    expect(await mine()).toMatchObject([
      { failureCode: 'mail-deferred', status: 'failed', tries: 7 },
    ]);
    expect(await house.actions()).toContain('notification.message.failed');
    await worker.runner.close();
  });

  test('one reader who is refused for good holds up no other', async () => {
    await house.person('ada', { email: 'ada@bank.example' });
    inbox.refuse = (address) => (address.startsWith('ada') ? 550 : undefined);
    await house.tell('webhooks.endpoint.failing');
    const worker = house.worker({ mailer });
    await worker.send();
    expect(sentTo()).toEqual(['ops@house.example']);
    const states = (await mine()).map(({ failureCode, status }) => `${status} ${failureCode}`);
    expect(states.sort()).toEqual(['failed mail-refused', 'sent undefined']);
    await worker.runner.close();
  });

  test('what was not sent for a day is no news, and a reader without address none', async () => {
    const { id } = await house.person('ada', { email: 'ada@bank.example' });
    await house.tell('webhooks.endpoint.failing');
    // Nothing is configured: they wait, and can be read.
    const without = house.worker({});
    await without.send();
    expect((await mine()).map(({ status }) => status)).toEqual(['unsent', 'unsent']);
    await house.administration.persons.changeContact({
      actor: 'cli:test',
      email: null,
      personId: id,
      tenantId: house.tenantId,
    });
    const worker = house.worker({ mailer });
    await worker.send();
    expect(await mine()).toContainEqual(
      expect.objectContaining({ failureCode: 'no-address', recipient: `person:${id}` }),
    );
    await house.tell('webhooks.endpoint.disabled', { reason: 'gone' });
    house.clock.advance(24 * HOUR_MS + 1);
    await worker.send();
    expect(await mine()).toContainEqual(expect.objectContaining({ failureCode: 'expired' }));
    expect(sentTo()).toEqual(['ops@house.example']);
    await worker.runner.close();
  });

  test('the hook gets ids and texts under a key of the message, and is tried again', async () => {
    const receiver = await startReceiver();
    house = await openHouse(store, { operations: { hasHook: true, mails: [] } });
    receiver.reply = replyWith(503);
    await house.fail('exhausted');
    const hook = createOperatorHook(receiver.url);
    const worker = house.worker({ hook });
    await worker.send();
    expect(await mine()).toMatchObject([{ faultCode: 'hook-answer', status: 'unsent' }]);
    receiver.reply = replyWith(204);
    house.clock.advance(MINUTE_MS);
    await worker.send();
    const [message] = await mine();
    expect(message).toMatchObject({ channel: 'hook', status: 'sent', tries: 2 });
    expect(receiver.received).toHaveLength(2);
    for (const { body, headers } of receiver.received) {
      expect(headers['idempotency-key']).toBe(message?.messageId);
      expect(JSON.parse(body)).toMatchObject({
        kind: 'webhook.failed',
        params: { reason: 'exhausted' },
        severity: 'HIGH',
        tenant_id: house.tenantId,
      });
    }
    await worker.runner.close();
    await hook.close();
    await receiver.close();
  });
});

describe('a fault is told by its kind', () => {
  const mail = {
    date: new Date(0),
    html: '',
    id: 'm',
    isUrgent: false,
    locale: 'en',
    subject: 's',
    text: 't',
    to: 'a@bank.example',
  } as const;
  const faultOf = async (sent: Promise<void>): Promise<SendFaultCode | 'none'> => {
    try {
      await sent;
    } catch (error) {
      if (error instanceof SendFault) return error.code;
      throw error;
    }
    return 'none';
  };
  const times = { connectMs: 500, greetingMs: 50, silenceMs: 500 };

  test('nobody listens, nobody greets, and a server that hangs up', async () => {
    const { createServer } = await import('node:net');
    const server = createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const config = { from: 'n@house.example', host: '127.0.0.1', port, security: 'none' } as const;
    const mailer = createSmtpMailer(config, { times });
    expect(await faultOf(mailer.send(mail))).toBe('mail-unreachable');
    server.on('connection', (socket) => socket.end('220 here\r\n'));
    expect(await faultOf(mailer.send(mail))).toBe('mail-unreachable');
    server.close();
    mailer.close();
    const nowhere = createSmtpMailer({ ...config, port: 1 }, { times });
    expect(await faultOf(nowhere.send(mail))).toBe('mail-unreachable');
    nowhere.close();
  });

  test('a wrong login may be mended; a right one is taken', async () => {
    const login = { password: 'right', user: 'notices' };
    const inbox = await openInbox({ login });
    const wrong = createSmtpMailer({ ...inbox.config, login: { ...login, password: 'wrong' } });
    expect(await faultOf(wrong.send(mail))).toBe('mail-login');
    const right = createSmtpMailer({ ...inbox.config, login });
    expect(await faultOf(right.send(mail))).toBe('none');
    expect(inbox.received).toHaveLength(1);
    wrong.close();
    right.close();
    await inbox.close();
  });
});
