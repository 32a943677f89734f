/**
 * Breaks of chains: an event that is not what was signed is told once, however many find it, and
 * locks the tenant's policies until two persons have acknowledged it. Screening goes on.
 *
 * All of it is in the platform's chain, since the tenant's may be unusable. What is locked follows
 * from the signed entries there alone: a record that is taken away unlocks nothing.
 */
import {
  type AuditStore,
  type CommitEvidence,
  type EntryContext,
  entry,
  entryPages,
  type KeyRing,
  overwrite,
  verifiedEvent,
} from '#core/audit';
import type { ApprovedBy } from '#core/identity';
import { type ChainId, DomainError, PLATFORM_CHAIN, type Tables } from '#core/kernel';
import { uuidOfText } from '#slices/alerts';
import type { EventFault } from './checkEvents.ts';
import { type ChainBreak, chainBreakTable, type Resolution } from './tables.ts';

export interface BreakPorts extends EntryContext {
  readonly commit: CommitEvidence;
  readonly tables: Pick<Tables, 'find' | 'page'>;
}

/** Which event of which chain. */
export interface BrokenPlace {
  readonly chainId: ChainId;
  readonly seq: number;
}

/** Id of the alert of a broken event: the same however often it is found. */
export const breakAlertId = ({ chainId, seq }: BrokenPlace): string =>
  uuidOfText(`chain-break-v1\0${chainId}\0${seq}`);

/** As entries and approvals name it. */
export const breakTarget = ({ chainId, seq }: BrokenPlace): string =>
  `audit_chain:${chainId}:${seq}`;

/** Records and tells it, unless somebody has; answers whether this call did. */
export async function tellBreak(
  ports: BreakPorts,
  place: BrokenPlace,
  fault: EventFault,
): Promise<boolean> {
  const { chainId, seq } = place;
  const alertId = breakAlertId(place);
  return overwrite(async () => {
    const known = await ports.tables.find(chainBreakTable, { chainId, seq });
    // What was restored and is broken again is told again; what two persons accepted is known.
    if (known !== undefined && known.resolution !== 'restored') return false;
    const foundAt = ports.clock.now();
    const { reason } = fault;
    await ports.commit(PLATFORM_CHAIN, {
      bus: [
        {
          partition: chainId,
          payload: { alertId, reason, seq, tenantId: chainId },
          topic: 'sanctions.chain.broken',
        },
      ],
      changes: [
        chainBreakTable.put(
          { alertId, chainId, foundAt, reason, seq, version: (known?.version ?? 0) + 1 },
          known?.version ?? 0,
        ),
      ],
      events: [
        entry(ports, {
          action: 'AUDIT_CHAIN_BROKEN',
          actor: 'system:sanctions',
          at: foundAt,
          members: {
            alert_id: alertId,
            broken_chain: chainId,
            broken_seq: seq,
            expected_hash: fault.expected ?? null,
            found_hash: fault.found ?? null,
            reason,
          },
          severity: 'ALERT',
          target: breakTarget(place),
        }),
      ],
    });
    return true;
  });
}

/** The break that an alert is about. Throws `alert-unknown`, also for another tenant's. */
export async function breakOfAlert(
  { tables }: Pick<BreakPorts, 'tables'>,
  of: { readonly alertId: string; readonly chainId: ChainId },
): Promise<ChainBreak> {
  const { alertId, chainId } = of;
  const { records } = await tables.page(chainBreakTable, {
    equal: { alertId },
    index: 'byAlert',
    limit: 1,
  });
  const [found] = records;
  if (found?.chainId !== chainId) throw new DomainError('alert-unknown');
  return found;
}

/** What two persons say of it. */
export interface Acknowledgement {
  readonly resolution: Resolution;
  readonly statement: string;
}

/**
 * Lifts the lock, in one commit with the approval. Throws `state-conflict` for one that is
 * acknowledged, and where `restored` is said of a chain that was not verified whole since.
 */
export async function acknowledgeBreak(
  ports: BreakPorts,
  of: {
    readonly broken: ChainBreak;
    readonly said: Acknowledgement;
    readonly isVerifiedSince: () => Promise<boolean>;
    readonly by: ApprovedBy;
  },
): Promise<ChainBreak> {
  const { broken, by, isVerifiedSince, said } = of;
  const { alongside, approval, idempotency, ip, reason } = by;
  const { chainId, seq } = broken;
  const found = await ports.tables.find(chainBreakTable, { chainId, seq });
  refuseAcknowledged(found ?? broken);
  if (said.resolution === 'restored' && !(await isVerifiedSince())) {
    const detail = 'the chain was not verified whole since: expected `accepted`, or to wait for it';
    throw new DomainError('state-conflict', { detail });
  }
  const { version } = broken;
  const next: ChainBreak = { ...broken, resolution: said.resolution, version: version + 1 };
  const answer = { body: JSON.stringify(presentBreak(next)), status: 200 };
  await ports.commit(PLATFORM_CHAIN, {
    bus: [
      {
        partition: chainId,
        payload: { alertId: broken.alertId, seq, tenantId: chainId },
        topic: 'sanctions.chain.acknowledged',
      },
      ...(alongside?.bus ?? []),
    ],
    changes: [approval.consume, chainBreakTable.put(next, version), ...(alongside?.changes ?? [])],
    events: [
      entry(ports, {
        action: 'AUDIT_CHAIN_ACKNOWLEDGED',
        actor: `person:${approval.author.id}`,
        members: {
          alert_id: broken.alertId,
          approval_key_id: approval.keyId,
          approved_by: `person:${approval.approver.id}`,
          broken_chain: chainId,
          broken_seq: seq,
          resolution: said.resolution,
        },
        open: { approval_reason: reason, statement: said.statement },
        severity: 'ALERT',
        target: breakTarget(broken),
        ...(ip !== undefined && { ip }),
      }),
      ...(alongside?.events ?? []),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(answer) }),
  });
  return next;
}

export function refuseAcknowledged({ resolution }: ChainBreak): void {
  if (resolution === undefined) return;
  throw new DomainError('state-conflict', { detail: `it is acknowledged already: ${resolution}` });
}

/** On the wire. */
export const presentBreak = ({ alertId, reason, resolution, seq }: ChainBreak) => ({
  alert_id: alertId,
  seq,
  reason,
  resolution: resolution ?? null,
});

/** A break as its entries tell it. */
export interface ToldBreak {
  readonly seq: number;
  /** The entry that says it. */
  readonly entrySeq: number;
  readonly alertId: string;
  readonly resolution?: Resolution;
}

/** Breaks on record, as one process has read them; each entry is read once. */
export class ChainBreaks {
  readonly #ports: { readonly audit: Pick<AuditStore, 'readEvents'>; readonly keyRing: KeyRing };
  readonly #upTo = new Map<string, number>();
  readonly #told = new Map<string, Map<number, ToldBreak>>();
  #reading: Promise<void> = Promise.resolve();

  constructor(ports: {
    readonly audit: Pick<AuditStore, 'readEvents'>;
    readonly keyRing: KeyRing;
  }) {
    this.#ports = ports;
  }

  /** The breaks of a chain as of now, by seq. */
  async of(chainId: ChainId): Promise<readonly ToldBreak[]> {
    // One after the other: what one reads on, the next one need not.
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#readOn());
    await this.#reading;
    const told = [...(this.#told.get(chainId)?.values() ?? [])];
    return told.toSorted((one, other) => one.seq - other.seq);
  }

  /** The first one that nobody has acknowledged: policies are locked. */
  async standing(chainId: ChainId): Promise<ToldBreak | undefined> {
    return (await this.of(chainId)).find(({ resolution }) => resolution === undefined);
  }

  async #readOn(): Promise<void> {
    for (const action of ['AUDIT_CHAIN_BROKEN', 'AUDIT_CHAIN_ACKNOWLEDGED']) {
      const fromSeq = (this.#upTo.get(action) ?? 0) + 1;
      const range = { action, chainId: PLATFORM_CHAIN, fromSeq };
      for await (const page of entryPages(this.#ports.audit, range)) {
        for (const event of page) {
          const { keyRing } = this.#ports;
          const members = verifiedEvent(event, { chainId: PLATFORM_CHAIN, keyRing });
          // One that is not what was signed locks nothing and lifts nothing.
          if (members !== undefined) this.#note(event.seq, members as unknown as BreakMembers);
          this.#upTo.set(action, event.seq);
        }
      }
    }
  }

  #note(entrySeq: number, members: BreakMembers): void {
    const { alert_id, broken_chain, broken_seq, resolution } = members;
    const told = this.#told.get(broken_chain) ?? new Map<number, ToldBreak>();
    this.#told.set(broken_chain, told);
    // Actions are read one after the other: the latest entry says how it stands.
    if ((told.get(broken_seq)?.entrySeq ?? 0) > entrySeq) return;
    told.set(broken_seq, {
      alertId: alert_id,
      entrySeq,
      seq: broken_seq,
      ...(resolution !== undefined && { resolution }),
    });
  }
}

interface BreakMembers {
  readonly alert_id: string;
  readonly broken_chain: string;
  readonly broken_seq: number;
  readonly resolution?: Resolution;
}
