/** An open alert about a person holds up his erasure, whatever it came of; a closed one not. */
import { expect, test } from 'vitest';
import { entry, type SealedEvent } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { type AlertDraft, alertTable, OpenAlerts } from '#slices/alerts';
import { exclusionTable } from '#slices/exclusions';
import { registeredScreeningTable, subjectKeyOfRef } from '#slices/screening';
import { draftOf, idOf, openDesk, START, TENANT } from './desk.ts';

const REF = 'client-1';
const RULE = draftOf(2, {
  cause: { bucket: 1, kind: 'rule', ruleId: 'TM-STR-01', subjectKey: 'a'.repeat(64) },
});

/** A desk whose evidence is about `client-1`, but for what is given. */
function openEvidence() {
  const desk = openDesk({}, [exclusionTable, registeredScreeningTable]);
  const of = {
    customers: [] as readonly string[],
    fault: undefined as DomainError | undefined,
    key: undefined as string | undefined,
    reads: 0,
    ruleCustomer: undefined as string | undefined,
  };
  const body = JSON.stringify({ candidates: [], lists: [], verdict: { decision: 'CLEAR' } });
  const ports = {
    ...desk.ports,
    audit: { findByScreening: async () => ({ body, occurredAt: START }) as SealedEvent },
    customersOfPayments: async () => ({
      isWhole: true,
      keys: new Set(of.customers.map((ref) => subjectKeyOfRef(TENANT, ref))),
    }),
    events: {
      checkOpen: async () => undefined,
      read: async () => {
        of.reads++;
        if (of.fault !== undefined) throw of.fault;
        return of.key === undefined ? {} : { subject_key: of.key };
      },
    },
    // No slice to the right answers.
    listChangeSubject: async () => undefined,
    listedPartyPayments: async () => ({ count: 1, txIds: ['tx-1'] }),
    ruleKeysOfCustomer: async ({ subjectRef }: { readonly subjectRef: string }) =>
      subjectRef === REF ? ['a'.repeat(64)] : [],
    ruleAlertSubject: async (_: unknown, isWhole: boolean) => {
      if (of.fault !== undefined) throw of.fault;
      return ruleSubject(isWhole);
    },
  };
  const ruleSubject = (isWhole: boolean) => ({
    hits: [],
    isErased: false,
    rule: {
      isLate: false,
      subjectKind: 'customer',
      // As slices answer: only where the alert is read whole.
      ...(isWhole && of.ruleCustomer !== undefined && { customerId: of.ruleCustomer }),
    },
  });
  /** As a process asks that has just begun, and knows nothing. */
  const isHeld = (subjectRef = REF) =>
    new OpenAlerts(ports as never).isOpenAbout({ subjectRef, tenantId: TENANT });
  const close = async (draft: AlertDraft) => {
    const key = { alertId: idOf(draft), tenantId: TENANT };
    const alert = await desk.house.tables.find(alertTable, key);
    if (alert === undefined) throw new Error('no such alert');
    const next = { ...alert, status: 'closed_false_positive' as const, version: alert.version + 1 };
    const changes = [alertTable.put(next, alert.version)];
    const told = entry(desk.ports, {
      action: 'aml.alert.closed',
      actor: 'person:anna',
      members: {},
      target: `alert:${alert.alertId}`,
    });
    await desk.ports.commit(chainOf(TENANT), { bus: [], changes, events: [told] });
  };
  return { close, house: desk.house, isHeld, of, ports, raise: desk.raise };
}

test('a screening by the reference that it was asked with, until it is closed', async () => {
  const desk = openEvidence();
  await desk.raise(draftOf(1));
  desk.of.key = subjectKeyOfRef(TENANT, 'client-2');
  expect(await desk.isHeld()).toBe(false);
  desk.of.key = subjectKeyOfRef(TENANT, REF);
  expect(await desk.isHeld()).toBe(true);
  await desk.close(draftOf(1));
  expect(await desk.isHeld()).toBe(false);
});

test('a rule by the customer of its last payment', async () => {
  const desk = openEvidence();
  await desk.raise(RULE);
  desk.of.ruleCustomer = 'client-2';
  expect(await desk.isHeld()).toBe(false);
  desk.of.ruleCustomer = REF;
  expect(await desk.isHeld()).toBe(true);
});

test.each(['TM-SAN-01', 'TM-SAN-02'])('%s by the customers of its payments', async (ruleId) => {
  const desk = openEvidence();
  await desk.raise(draftOf(1, { ruleId } as never));
  desk.of.customers = ['client-2'];
  expect(await desk.isHeld()).toBe(false);
  desk.of.customers = ['client-2', REF];
  expect(await desk.isHeld()).toBe(true);
  // However many others there are, it is about none beside them.
  desk.of.customers = Array.from({ length: 150 }, (_, at) => `other-${at}`);
  expect(await desk.isHeld()).toBe(false);
});

test('evidence that cannot be read is about whom rows beside it name, nobody else', async () => {
  const desk = openEvidence();
  await desk.raise(draftOf(1));
  desk.of.fault = new DomainError('evidence-altered');
  expect(await desk.isHeld()).toBe(false);
  desk.house.seed(registeredScreeningTable, {
    channel: 'unit',
    decision: 'MATCH_PEP',
    occurredAt: START,
    requestedBy: 'key-1',
    screeningId: 'screening-1',
    subjectKey: subjectKeyOfRef(TENANT, REF),
    tenantId: TENANT,
  });
  expect(await desk.isHeld()).toBe(true);
  expect(await desk.isHeld('client-2')).toBe(false);
});

test('a rule whose evidence cannot be read is known by the key of its subject', async () => {
  const desk = openEvidence();
  await desk.raise(RULE);
  desk.of.fault = new DomainError('evidence-altered');
  expect(await desk.isHeld()).toBe(true);
  expect(await desk.isHeld('client-2')).toBe(false);
});

test('what a changed list was found for is known by its cause', async () => {
  const desk = openEvidence();
  const subjectId = subjectKeyOfRef(TENANT, REF);
  await desk.raise(draftOf(1, { cause: { findingId: 'f.1', kind: 'list_change', subjectId } }));
  expect(await desk.isHeld()).toBe(true);
  expect(await desk.isHeld('client-2')).toBe(false);
});

test('an alert that was closed past the service is open', async () => {
  const desk = openEvidence();
  const draft = draftOf(1);
  await desk.raise(draft);
  desk.of.key = subjectKeyOfRef(TENANT, REF);
  desk.house.seed(registeredScreeningTable, {
    channel: 'unit',
    decision: 'MATCH_PEP',
    occurredAt: START,
    requestedBy: 'key-1',
    screeningId: 'screening-1',
    subjectKey: desk.of.key,
    tenantId: TENANT,
  });
  const [alert] = desk.house.records(alertTable);
  if (alert === undefined) throw new Error('no such alert');
  desk.house.seed(alertTable, { ...alert, status: 'closed_false_positive' as const });
  expect(await desk.isHeld()).toBe(true);
  expect(await desk.isHeld('client-2')).toBe(false);
});

test('evidence is read once for a process, however many persons are asked for', async () => {
  const desk = openEvidence();
  for (let n = 1; n <= 250; n++) await desk.raise(draftOf(n));
  desk.of.key = subjectKeyOfRef(TENANT, REF);
  const alerts = new OpenAlerts(desk.ports as never);
  for (const subjectRef of ['client-2', 'client-3', 'client-4']) {
    expect(await alerts.isOpenAbout({ subjectRef, tenantId: TENANT })).toBe(false);
  }
  expect(desk.of.reads).toBe(250);
  expect(await alerts.isOpenAbout({ subjectKey: desk.of.key, tenantId: TENANT })).toBe(true);
});
