/**
 * What became of clients after they were evaluated: alerts about them that were true positives,
 * among them those of payments, and cases that were rejected. Read from signed entries up to one
 * place of the chain, so that a backtest that is worked on twice comes to the same.
 */
import type { AuditStore, SealedEvent, SignedEvents } from '#core/audit';
import { chainOf, type Tables, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  type Alert,
  alertTable,
  type ComparesAlerts,
  type customersOfAlerts,
} from '#slices/alerts';
import { subjectKeyOfRef } from '#slices/screening';
import type { ReportedCustomers } from '#slices/str';

/** What may become of a client. */
export const OUTCOMES = ['true_positive', 'fraud', 'rejected'] as const;
/**
 * One of OUTCOMES, or that the client was reported to the authority, which no report tells beside
 * the others. `fraud`: payments were what a rule had taken them for.
 */
export type OutcomeName = (typeof OUTCOMES)[number] | 'reported';

/** Outcomes of a tenant’s clients. */
export interface Outcomes {
  /** Those of the client that came after this time. */
  after(externalRef: string, at: EpochMs): readonly OutcomeName[];
  /** Alerts of which nobody can say whom they are about. */
  readonly unread: number;
}

export type ReadOutcomes = (of: {
  readonly signal: AbortSignal;
  readonly tenantId: TenantId;
  readonly throughSeq: number;
  /** Reports to the authority count up to then. */
  readonly until: EpochMs;
}) => Promise<Outcomes>;

/** What outcomes are read with. */
export interface OutcomePorts {
  readonly audit: Pick<AuditStore, 'readEvents'>;
  readonly events: SignedEvents;
  readonly tables: Pick<Tables, 'findMany'>;
  readonly alerts: Pick<ComparesAlerts, 'areAsSigned'>;
  readonly customersOf: (alerts: readonly Alert[]) => ReturnType<typeof customersOfAlerts>;
  readonly reported: (tenantId: TenantId) => AsyncIterable<ReportedCustomers>;
}

const EVENTS_A_PAGE = 500;
const ALERTS_TOGETHER = 100;
/** Members as they stand in the text of an entry: what has none is not parsed. */
const TRUE_POSITIVE = '"outcome":"closed_true_positive"';
const REJECTED = '"decision":"rejected"';

export const readOutcomes =
  (ports: OutcomePorts): ReadOutcomes =>
  async (of) => {
    /** By client, when the last one came. */
    const last: Readonly<Record<OutcomeName, Map<string, EpochMs>>> = {
      fraud: new Map(),
      rejected: new Map(),
      reported: new Map(),
      true_positive: new Map(),
    };
    const add = (name: OutcomeName, key: string, at: EpochMs): void => {
      last[name].set(key, Math.max(at, last[name].get(key) ?? 0) as EpochMs);
    };
    const unread = await readAlerts(ports, of, add);
    await readRejections(ports, of, add);
    for await (const { at, keys = [] } of ports.reported(of.tenantId)) {
      if (at > of.until) continue;
      for (const key of keys) add('reported', key, at);
    }
    return {
      after(externalRef, at) {
        const key = subjectKeyOfRef(of.tenantId, externalRef);
        return [...OUTCOMES, 'reported' as const].filter((name) => (last[name].get(key) ?? 0) > at);
      },
      unread,
    };
  };

type Ask = Parameters<ReadOutcomes>[0];
type Add = (name: OutcomeName, key: string, at: EpochMs) => void;

async function readRejections(ports: OutcomePorts, ask: Ask, add: Add): Promise<void> {
  const { tenantId } = ask;
  for await (const event of entriesOf(ports, ask, 'kyc.case.decision_made')) {
    if (!event.body.includes(REJECTED)) continue;
    const { external_ref: ref } = await ports.events.read(chainOf(tenantId), event);
    add('rejected', subjectKeyOfRef(tenantId, String(ref)), event.occurredAt);
  }
}

/** Alerts that stand closed as true positives then; answers how many nobody can read. */
async function readAlerts(ports: OutcomePorts, ask: Ask, add: Add): Promise<number> {
  const { tenantId } = ask;
  const closed = new Map<string, { readonly at: EpochMs; readonly seq: number }>();
  for await (const event of entriesOf(ports, ask, 'aml.alert.closed')) {
    if (!event.body.includes(TRUE_POSITIVE)) continue;
    const { target } = await ports.events.read(chainOf(tenantId), event);
    closed.set(String(target), { at: event.occurredAt, seq: event.seq });
  }
  for await (const event of entriesOf(ports, ask, 'aml.alert.reopened')) {
    if (closed.size === 0) return 0;
    const { target } = await ports.events.read(chainOf(tenantId), event);
    if ((closed.get(String(target))?.seq ?? event.seq) < event.seq) closed.delete(String(target));
  }
  let unread = 0;
  const all = [...closed];
  for (let from = 0; from < all.length; from += ALERTS_TOGETHER) {
    ask.signal.throwIfAborted();
    const some = new Map(all.slice(from, from + ALERTS_TOGETHER));
    const known = await signedAlertsOf(ports, tenantId, [...some.keys()]);
    unread += some.size - known.length;
    const customers = await ports.customersOf(known);
    for (const [place, alert] of known.entries()) {
      const keys = customers[place];
      if (keys === undefined) unread += 1;
      const { at } = some.get(`alert:${alert.alertId}`) ?? { at: 0 as EpochMs };
      const name = alert.type === 'monitoring' ? 'fraud' : 'true_positive';
      for (const key of keys ?? []) add(name, key, at);
    }
  }
  return unread;
}

async function signedAlertsOf(
  { alerts, tables }: OutcomePorts,
  tenantId: TenantId,
  targets: readonly string[],
): Promise<readonly Alert[]> {
  const keys = targets.map((target) => ({ alertId: target.slice('alert:'.length), tenantId }));
  const found = await tables.findMany(alertTable, keys);
  const areSigned = await alerts.areAsSigned(tenantId, found);
  return found.filter((_, place) => areSigned[place]);
}

async function* entriesOf(
  { audit }: OutcomePorts,
  { signal, tenantId, throughSeq }: Ask,
  action: string,
): AsyncGenerator<SealedEvent> {
  const chainId = chainOf(tenantId);
  for (let fromSeq = 1; fromSeq <= throughSeq; ) {
    signal.throwIfAborted();
    const page = await audit.readEvents({ action, chainId, fromSeq, limit: EVENTS_A_PAGE });
    for (const event of page) {
      if (event.seq > throughSeq) return;
      yield event;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < EVENTS_A_PAGE) return;
    fromSeq = last.seq + 1;
  }
}
