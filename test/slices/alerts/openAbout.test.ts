/** An open alert about a person holds up his erasure, whatever it came of; a closed one not. */
import { expect, test } from 'vitest';
import { entry, type SealedEvent } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { type AlertDraft, alertTable, isAlertOpenAbout } from '#slices/alerts';
import { subjectKeyOfRef } from '#slices/screening';
import { draftOf, idOf, openDesk, START, TENANT } from './desk.ts';

const REF = 'client-1';
const RULE = draftOf(2, {
  cause: { bucket: 1, kind: 'rule', ruleId: 'TM-STR-01', subjectKey: 'a'.repeat(64) },
});

/** A desk whose evidence is about `client-1`, but for what is given. */
function openEvidence() {
  const desk = openDesk();
  const of = {
    customers: [] as readonly string[] | undefined,
    fault: undefined as DomainError | undefined,
    key: undefined as string | undefined,
    ruleCustomer: undefined as string | undefined,
  };
  const body = JSON.stringify({ candidates: [], lists: [], verdict: { decision: 'CLEAR' } });
  const ports = {
    ...desk.ports,
    audit: { findByScreening: async () => ({ body, occurredAt: START }) as SealedEvent },
    customersOfPayments: async () => of.customers,
    events: {
      checkOpen: async () => undefined,
      read: async () => {
        if (of.fault !== undefined) throw of.fault;
        return of.key === undefined ? {} : { subject_key: of.key };
      },
    },
    listedPartyPayments: async () => ({ count: 1, txIds: ['tx-1'] }),
    ruleAlertSubject: async (_: unknown, isWhole: boolean) => ({
      hits: [],
      isErased: false,
      rule: {
        isLate: false,
        subjectKind: 'customer',
        // As slices answer: only where the alert is read whole.
        ...(isWhole && of.ruleCustomer !== undefined && { customerId: of.ruleCustomer }),
      },
    }),
  };
  const isHeld = () =>
    isAlertOpenAbout(ports as never, { subjectRef: REF, tenantId: TENANT } as never);
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
  return { close, isHeld, of, raise: desk.raise };
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
  // More payments than are read may be anybody's.
  desk.of.customers = undefined;
  expect(await desk.isHeld()).toBe(true);
});

test('evidence that cannot be read may be about anybody', async () => {
  const desk = openEvidence();
  await desk.raise(draftOf(1));
  desk.of.fault = new DomainError('evidence-altered');
  expect(await desk.isHeld()).toBe(true);
});
