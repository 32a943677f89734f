/**
 * Whoever can write the database closes an alert in its row alone, moves it to another list, or
 * takes it away: no filter shows it where it belongs. The watch finds it, and says so in the chain.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditLog, createAuditLog, Erasures, newKeyRing } from '#core/audit';
import { chainOf } from '#core/kernel';
import { systemRandom } from '#platform/random';
import {
  type AlertDeskPorts,
  AlertWatch,
  type AlteredPorts,
  noteAlert,
  raiseAlerts,
  readAlerts,
  readNote,
  SignedAlerts,
  tellAltered,
  toldAltered,
} from '#slices/alerts';
import type { Storage } from '../../../src/storage/index.ts';
import { seededSigner } from '../../core/audit/drafts.ts';
import type { StoreHarness } from '../../storage/contract/harness.ts';
import { onEachStore } from '../../storage/eachStore.ts';
import { caller, draftOf, idOf, PEOPLE, SETTINGS, TENANT } from './desk.ts';

const DAY_MS = 24 * 3_600_000;
const [first, second, third] = ['EU', 'UN', 'UK'].map((source, at) => draftOf(at + 1, { source }));

onEachStore((makeHarness) => {
  let harness: StoreHarness;
  let storage: Storage;
  let audit: AuditLog;
  let ports: AlertDeskPorts;
  let signed: AlteredPorts;
  let watch: AlertWatch;
  let ticking: NodeJS.Timeout;

  const watchWith = (alerts: number) =>
    new AlertWatch(
      { ...storage, clock: harness.clock, signed: ports.signed },
      { alerts, entries: 100 },
    );

  beforeAll(async () => {
    harness = await makeHarness();
    storage = await harness.open();
    const { clock } = harness;
    const signer = seededSigner('alerts');
    const store = storage.audit;
    audit = createAuditLog({ clock, holder: 'test', random: systemRandom, signer, store });
    const chain = { audit: store, keyRing: newKeyRing(signer.publicKey) };
    signed = chain;
    ports = {
      clock,
      commit: (chainId, commit) => audit.commit(chainId, commit),
      readNote: (note) => readNote({ ...chain, erasures: new Erasures(chain) }, note),
      listPersons: async () => Object.values(PEOPLE),
      random: systemRandom,
      settingsOf: async () => SETTINGS,
      signed: new SignedAlerts(chain),
      tables: storage.tables,
    };
    watch = watchWith(100);
    // Who looks twice asks for the head of the chain, which is offered for a while.
    ticking = setInterval(() => clock.advance(10), 1);
    await raiseAlerts(ports, TENANT, [first, second, third] as never);
  });
  afterAll(async () => {
    clearInterval(ticking);
    await audit.close();
    await storage.close();
    await harness.dispose();
  });

  /** As the job of a worker does. */
  async function look(by = watch): Promise<{ altered: readonly string[]; isTold: boolean }> {
    harness.clock.advance(1_000);
    const told = await toldAltered(signed, TENANT);
    const { altered } = await by.look(TENANT, told);
    return { altered, isTold: await tellAltered(ports, TENANT, { altered, told }) };
  }
  const listed = async () => {
    const filter = { status: 'open' } as const;
    const { alerts } = await readAlerts(storage, { filter, limit: 10, tenantId: TENANT });
    return alerts.map(({ source }) => source);
  };
  const entries = () =>
    storage.audit.readEvents({
      action: 'aml.alert.altered',
      chainId: chainOf(TENANT),
      fromSeq: 1,
      limit: 10,
    });
  const idFor = (draft = first) => idOf(draft as never);

  test('one that a forged state hides from its filter is named until it is as it was', async () => {
    expect(await look()).toEqual({ altered: [], isTold: false });
    const open = '"source":"EU","status":"open"';
    const closed = '"source":"EU","status":"closed_false_positive"';
    expect(await harness.alter('alert', open, closed)).toBe(1);
    expect(await listed()).toEqual(['UK', 'UN']);
    expect(await look()).toEqual({ altered: [idFor()], isTold: true });
    expect(await toldAltered(signed, TENANT)).toEqual([idFor()]);
    // Told once; also by a worker that begins with it.
    expect(await look()).toEqual({ altered: [idFor()], isTold: false });
    expect(await look(watchWith(1))).toEqual({ altered: [idFor()], isTold: false });
    await harness.alter('alert', closed, open);
    expect(await look()).toEqual({ altered: [], isTold: true });
    expect(await toldAltered(signed, TENANT)).toEqual([]);
    expect((await entries()).map(({ body }) => JSON.parse(body))).toMatchObject([
      { altered: [idFor()], altered_total: 1, severity: 'ALERT' },
      { altered: [], altered_total: 0, severity: 'NOTICE' },
    ]);
  });

  test('all open ones have their turn, and what changes in the service is no forgery', async () => {
    const slow = watchWith(1);
    const principal = caller('lena');
    const place = { alertId: idFor(second), tenantId: TENANT };
    await noteAlert(ports, { ...place, principal, text: 'his brother called' });
    expect(await harness.alter('alert', '"source":"UK"', '"source":"US"')).toBe(1);
    const found = [];
    for (let looks = 0; looks < 4; looks++) found.push(...(await look(slow)).altered);
    expect(new Set(found)).toEqual(new Set([idFor(third)]));
    await harness.alter('alert', '"source":"US"', '"source":"UK"');
    await look(slow);
    expect(await toldAltered(signed, TENANT)).toEqual([]);
  });

  test('one that is closed is compared by the walk of the next day', async () => {
    expect((await look()).altered).toEqual([]);
    const change = ['"seq":2', '"seq":9'] as const;
    const quiet = watchWith(100);
    expect((await look(quiet)).altered).toEqual([]);
    await harness.alter('alert', ...change);
    harness.clock.advance(DAY_MS);
    expect((await look(quiet)).altered).toEqual([idFor(second)]);
    await harness.alter('alert', change[1], change[0]);
    expect((await look(quiet)).altered).toEqual([]);
  });

  test('what the entry says of altered alerts is believed as it was signed alone', async () => {
    const [told] = await entries();
    if (told === undefined) throw new Error('nothing was told');
    const body = told.body.replace(idFor(), idFor(second));
    const forged = {
      audit: { lastEntries: async () => [{ ...told, body }] },
      keyRing: signed.keyRing,
    };
    await expect(toldAltered(forged, TENANT)).rejects.toMatchObject({ code: 'evidence-altered' });
  });
});
