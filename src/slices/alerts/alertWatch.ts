/**
 * Alerts are compared with their last signed entries in turns, whether or not anybody asks for
 * them: one whose row says that it is closed, of another severity or of another list stands in no
 * filter that it belongs to, and one whose row was taken away stands in none.
 *
 * The chain says which alerts there are. Each look compares some of those with a new entry, some
 * that were open when they were compared, the ones compared longest ago first, and some of a walk
 * through the whole chain, which begins anew each day. What is kept of an alert is its id.
 */
import {
  type AuditStore,
  entryPages,
  lookSettled,
  type SettlingAudit,
  storedMembers,
} from '#core/audit';
import { chainOf, type Tables, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { turnsOf } from '#platform/turns';
import { isClosed } from './alert.ts';
import { auditActions } from './auditActions.ts';
import type { ComparesAlerts } from './ports.ts';
import { alertIdsIn } from './signedAlerts.ts';
import { alertTable } from './tables.ts';

/** What alerts are compared with. */
export interface AlertWatchPorts {
  readonly audit: Pick<AuditStore, 'head' | 'readEvents'> & SettlingAudit;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly signed: ComparesAlerts;
  readonly tables: Pick<Tables, 'findMany'>;
}

/** Bounds of one look at one tenant. */
export interface AlertWatchLimits {
  /** Entries of each of the two walks. */
  readonly entries: number;
  /** Alerts that are compared. */
  readonly alerts: number;
}

/** Half a second of work, about. */
export const WATCH_LIMITS: AlertWatchLimits = { alerts: 4_000, entries: 10_000 };
/** Open alerts of all tenants that a process keeps the ids of; others are found by the walk. */
const OPEN_MAX = 200_000;
const TOGETHER = 200;
const ANEW_MS = 24 * 3_600_000;

const ACTIONS = Object.keys(auditActions);

/** How far the entries of each action are read. */
interface Walk {
  readonly beginSeq: number;
  readonly upTo: Map<string, number>;
  /** Head of the chain, once all before it had been read. */
  headSeq?: number;
}

interface Watched {
  readonly news: Walk;
  anew: Walk & { readonly beganAtMs: number };
  /** With new entries. */
  readonly fresh: Set<string>;
  /** Met by the walk. */
  readonly walked: Set<string>;
  readonly open: Set<string>;
  readonly altered: Set<string>;
}

/** What one look at a tenant came to. */
export interface WatchedAlerts {
  /** Ids of those that are not what was signed, whenever that was found. */
  readonly altered: readonly string[];
  readonly compared: number;
}

/** One for a process. */
export class AlertWatch {
  readonly #ports: AlertWatchPorts;
  readonly #limits: AlertWatchLimits;
  readonly #tenants = new Map<TenantId, Watched>();
  #open = 0;

  constructor(ports: AlertWatchPorts, limits = WATCH_LIMITS) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** `told`: alerts that some process found altered; they are compared again first. */
  async look(tenantId: TenantId, told: readonly string[]): Promise<WatchedAlerts> {
    const { seq: headSeq } = await this.#ports.audit.head(chainOf(tenantId));
    const watched = this.#of(tenantId, headSeq);
    const { altered, fresh, walked } = watched;
    for (const id of told) altered.add(id);
    await this.#readOn(tenantId, watched.news, { headSeq, into: fresh });
    await this.#readOn(tenantId, this.#walkOf(watched), { headSeq, into: walked });
    const ids = this.#dueOf(watched);
    const standing = ids.filter((id) => altered.has(id));
    const others = ids.filter((id) => !altered.has(id));
    for (const some of [...piecesOf(standing), ...piecesOf(others)]) {
      await this.#compare(tenantId, watched, some);
    }
    return { altered: [...altered], compared: ids.length };
  }

  #of(tenantId: TenantId, headSeq: number): Watched {
    const known = this.#tenants.get(tenantId);
    if (known !== undefined) return known;
    const watched: Watched = {
      altered: new Set(),
      anew: this.#begin(),
      fresh: new Set(),
      news: { beginSeq: headSeq + 1, headSeq, upTo: new Map() },
      open: new Set(),
      walked: new Set(),
    };
    this.#tenants.set(tenantId, watched);
    return watched;
  }

  #begin(): Watched['anew'] {
    return { beganAtMs: this.#ports.clock.monotonicMs(), beginSeq: 1, upTo: new Map() };
  }

  /** It begins anew once it has come to its end, and a day is over. */
  #walkOf(watched: Watched): Walk {
    const { anew, walked } = watched;
    const isOver = anew.headSeq !== undefined && walked.size === 0;
    const isDue = this.#ports.clock.monotonicMs() - anew.beganAtMs >= ANEW_MS;
    if (isOver && isDue) watched.anew = this.#begin();
    return watched.anew;
  }

  /** Notes alerts of further entries, unless many are to be compared still. */
  async #readOn(
    tenantId: TenantId,
    walk: Walk,
    { headSeq, into }: { readonly headSeq: number; readonly into: Set<string> },
  ): Promise<void> {
    const { audit, clock } = this.#ports;
    let left = this.#limits.entries - into.size;
    if (headSeq === walk.headSeq || left <= 0) return;
    const turn = turnsOf(clock);
    for (const action of ACTIONS) {
      const fromSeq = (walk.upTo.get(action) ?? walk.beginSeq - 1) + 1;
      const range = { action, chainId: chainOf(tenantId), entriesAPage: TOGETHER, fromSeq };
      for await (const page of entryPages(audit, range)) {
        for (const event of page) {
          for (const id of alertIdsIn(storedMembers(event))) into.add(id);
          walk.upTo.set(action, event.seq);
          await turn();
        }
        left -= page.length;
        if (left <= 0) return;
      }
    }
    walk.headSeq = headSeq;
  }

  /** Altered ones first; of the others each kind has its share, and what another one leaves. */
  #dueOf({ altered, fresh, open, walked }: Watched): readonly string[] {
    const max = this.#limits.alerts;
    const share = Math.ceil(max / 4);
    const shares = [
      ...firstOf(altered, share),
      ...firstOf(fresh, share),
      ...firstOf(walked, share),
      ...firstOf(open, share),
    ];
    const rest = [fresh, walked, open].flatMap((ids) => firstOf(ids, max));
    return [...new Set([...shares, ...rest])].slice(0, max);
  }

  async #compare(tenantId: TenantId, watched: Watched, ids: readonly string[]): Promise<void> {
    const { audit, clock, signed, tables } = this.#ports;
    const { altered, fresh, open, walked } = watched;
    const turn = turnsOf(clock);
    // Those that stand altered are told already: nobody's commit waits for a second look at them.
    const isNews = ids.some((id) => !altered.has(id));
    const { found } = await lookSettled(audit, async () => {
      const keys = ids.map((alertId) => ({ alertId, tenantId }));
      const alerts = await tables.findMany(alertTable, keys);
      const answers = await signed.areAsSigned(tenantId, alerts, turn);
      const good = alerts.filter((_, at) => answers[at] === true);
      return {
        chainId: chainOf(tenantId),
        found: new Map(good.map((alert) => [alert.alertId, isClosed(alert)])),
        refusal: isNews && good.length < ids.length ? 'some are not what was signed' : undefined,
      };
    });
    for (const id of ids) {
      const isOver = found.get(id);
      fresh.delete(id);
      walked.delete(id);
      if (open.delete(id)) this.#open -= 1;
      if (isOver === undefined) altered.add(id);
      else altered.delete(id);
      if (isOver !== false || this.#open >= OPEN_MAX) continue;
      open.add(id);
      this.#open += 1;
    }
  }
}

const piecesOf = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / TOGETHER) }, (_, at) =>
    ids.slice(at * TOGETHER, (at + 1) * TOGETHER),
  );

function firstOf(ids: ReadonlySet<string>, count: number): readonly string[] {
  const found: string[] = [];
  for (const id of ids) {
    if (found.length === count) break;
    found.push(id);
  }
  return found;
}
