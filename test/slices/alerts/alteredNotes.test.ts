/**
 * Whoever can write the database writes notes in another's name, or changes what was written: they
 * are shown to nobody as if somebody had written them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditLog, createAuditLog, Erasures, entry, newKeyRing } from '#core/audit';
import { chainOf } from '#core/kernel';
import { systemRandom } from '#platform/random';
import {
  type AlertDeskPorts,
  type AlertNote,
  alertNoteTable,
  checkNotes,
  noteAlert,
  notesOf,
  raiseAlerts,
  readNote,
  type SignedAlertPorts,
  SignedAlerts,
} from '#slices/alerts';
import type { Storage } from '../../../src/storage/index.ts';
import { seededSigner } from '../../core/audit/drafts.ts';
import type { StoreHarness } from '../../storage/contract/harness.ts';
import { onEachStore } from '../../storage/eachStore.ts';
import { caller, draftOf, idOf, PEOPLE, SETTINGS, TENANT } from './desk.ts';

onEachStore((makeHarness) => {
  let harness: StoreHarness;
  let storage: Storage;
  let audit: AuditLog;
  let ports: AlertDeskPorts;
  let signed: SignedAlertPorts;

  beforeAll(async () => {
    harness = await makeHarness();
    storage = await harness.open();
    const { clock } = harness;
    const signer = seededSigner('alerts');
    audit = createAuditLog({
      clock,
      holder: 'test',
      random: systemRandom,
      signer,
      store: storage.audit,
    });
    signed = { audit: storage.audit, keyRing: newKeyRing(signer.publicKey) };
    ports = {
      clock,
      commit: (chainId, commit) => audit.commit(chainId, commit),
      readNote: (note) => readNote({ ...signed, erasures: new Erasures(signed) }, note),
      listPersons: async () => Object.values(PEOPLE),
      random: systemRandom,
      settingsOf: async () => SETTINGS,
      signed: new SignedAlerts(signed),
      tables: storage.tables,
    };
  });
  afterAll(async () => {
    await audit.close();
    await storage.close();
    await harness.dispose();
  });

  test('a note that was changed past the service is refused, and all are compared', async () => {
    const { tables } = storage;
    await raiseAlerts(ports, TENANT, [draftOf(1)]);
    const principal = caller('lena');
    const place = { alertId: idOf(draftOf(1)), tenantId: TENANT };
    await noteAlert(ports, { ...place, principal, text: 'his brother called' });
    const check = () => checkNotes({ ...signed, tables }, TENANT);
    expect(await notesOf(ports, place)).toMatchObject([{ text: 'his brother called' }]);
    expect(await check()).toEqual([]);
    const forgeries = [
      ['"noteId"', '"text":"nothing to see","noteId"'],
      ['"by":"', '"by":"not-'],
      ['"revision":', '"revision":1'],
    ] as const;
    for (const [from, to] of forgeries) {
      expect(await harness.alter('alert_annotation', from, to)).toBe(1);
      await expect(notesOf(ports, place)).rejects.toMatchObject({ code: 'alert-altered' });
      expect(await check()).toEqual([expect.stringContaining(place.alertId)]);
      await harness.alter('alert_annotation', to, from);
    }
    const [note] = await notesOf(ports, place);
    await audit.commit(chainOf(TENANT), {
      bus: [],
      changes: [alertNoteTable.insert({ ...(note as AlertNote), noteId: 'of nobody' })],
      events: [entry(ports, { action: 'APPROVAL_REJECTED', actor: 'system', target: 'x' })],
    });
    await expect(notesOf(ports, place)).rejects.toMatchObject({ code: 'alert-altered' });
    expect(await check()).toEqual([expect.stringContaining('of nobody')]);
  });
});
