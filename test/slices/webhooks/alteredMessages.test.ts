/**
 * Whoever can write the database changes what is to be sent, invents a message, or moves one.
 * Nothing of it is signed or shown; a worker that had read the message before goes on with that.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chainOf, type TenantId } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { secretBox } from '#platform/secretBox';
import {
  checkMessages,
  deliveryOf,
  deliveryTable,
  messageOf,
  messageTable,
  replayDelivery,
  sealMessage,
  viewDelivery,
  type WebhookEndpoint,
  type WebhookMessage,
} from '#slices/webhooks';
import { onEachStore } from '../../storage/eachStore.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { ACTOR, BATCH_EVENT, OTHER, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

const ALTERED = { code: 'state-altered' };

onEachStore((makeHarness) => {
  let house: WebhookHouse;
  let receiver: Receiver;
  let endpoint: WebhookEndpoint;
  beforeEach(async () => {
    house = await openHouse(makeHarness);
    receiver = await startReceiver();
    ({ endpoint } = await house.register(receiver.url));
  });
  afterEach(async () => {
    await house.close();
    await receiver.close();
    expect(house.failures).toEqual([]);
  });

  const made = (tenantId: TenantId, id: string) =>
    messageOf(
      { at: house.clock.now(), id, tenantId },
      { data: { verdict: 'CLEAR' }, eventType: BATCH_EVENT.name },
    );
  /** A message beside its delivery, as an attacker would write them. */
  async function invent(message: WebhookMessage): Promise<void> {
    await house.tables.insertMissing(messageTable, [message]);
    await house.tables.insertMissing(deliveryTable, [deliveryOf(message, endpoint)]);
  }
  const statesOf = async () =>
    (await house.deliveries()).map(({ failureReason, status }) => failureReason ?? status);
  async function members(): Promise<readonly object[]> {
    const entries = (await house.trail()).filter(({ action }) => action === 'webhook.attempts');
    const events = await Promise.all(
      entries.map(({ seq }) => house.audit.findBySeq(chainOf(TENANT), seq)),
    );
    return events.flatMap((event) => JSON.parse(event?.body ?? '').attempts as object[]);
  }

  test('a body that was changed after its event is not signed, shown or sent again', async () => {
    await house.tell({ batch_id: 'b-1', hits_total: 3 });
    const changed = await house.harness.alter(
      'webhook_message',
      '\\"hits_total\\":3',
      '\\"hits_total\\":0',
    );
    expect(changed).toBe(1);
    const { refusals } = await checkMessages(house, TENANT);
    expect(refusals).toEqual([expect.stringContaining('not what was made of its event')]);
    await house.send();
    expect(receiver.received).toEqual([]);
    expect(await statesOf()).toEqual(['payload-altered']);
    expect(await members()).toMatchObject([{ body_sha256: null }]);
    const [delivery] = await house.deliveries();
    const ask = { actor: ACTOR, deliveryId: delivery?.deliveryId ?? '', tenantId: TENANT };
    await expect(viewDelivery(house, ask)).rejects.toMatchObject(ALTERED);
    await expect(replayDelivery(house, { ...ask, isForced: true })).rejects.toMatchObject(ALTERED);
  });

  test('a message that was invented, or moved from another place, is not sent', async () => {
    const bare = made(TENANT, 'invented');
    await invent({ ...bare, seal: '' });
    await invent({ ...made(TENANT, 'no seal') } as WebhookMessage);
    const others = secretBox([new Uint8Array(32).fill(9)], house.random);
    await invent(sealMessage(others, made(TENANT, 'another key')));
    const moved = sealMessage(house.secrets, made(OTHER, 'moved'));
    await invent({ ...moved, tenantId: TENANT });
    await house.send();
    expect(receiver.received).toEqual([]);
    expect(await statesOf()).toEqual(Array(4).fill('payload-altered'));
  });

  test('the entry of an attempt has the digest of what was sent', async () => {
    await house.tell({ batch_id: 'b-1' });
    await house.send();
    const [received] = receiver.received;
    expect(await members()).toMatchObject([{ body_sha256: sha256Hex(received?.body ?? '') }]);
    expect(await checkMessages(house, TENANT)).toEqual({ count: 1, refusals: [] });
  });
});
