/**
 * The stream of a tenant's alerts: lines of the log from a place on, and then as they come. One
 * look at the log's stamp serves all streams of a gateway, and one read of a tenant's tail all
 * streams of the tenant that have come to its end.
 */
import type { Tables, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { logEnd } from './alertLog.ts';
import { type Alert, type AlertLogLine, alertLogTable, alertTable } from './tables.ts';

/** A revision as a stream shows it: the alert as it is now, under the number of the log. */
export interface LoggedAlert {
  readonly line: AlertLogLine;
  readonly alert: Alert;
}

type LogTables = Pick<Tables, 'find' | 'findMany' | 'page' | 'stamp'>;

/** Lines that one read takes. */
const TAIL_LINES = 200;

/** The greatest number of a tenant's log. */
export async function lastLogSeq(tables: LogTables, tenantId: TenantId): Promise<number> {
  return (await logEnd({ tables }, tenantId)).seq;
}

/** The least number that the log still has; undefined where it has none. */
export async function oldestLogSeq(
  tables: LogTables,
  tenantId: TenantId,
): Promise<number | undefined> {
  const ask = { equal: { tenantId }, index: 'key', limit: 1 };
  return (await tables.page(alertLogTable, ask)).records[0]?.seq;
}

/** The first number at or after an instant; undefined where there is none yet. */
export async function logSeqSince(
  tables: LogTables,
  tenantId: TenantId,
  since: EpochMs,
): Promise<number | undefined> {
  const last = await lastLogSeq(tables, tenantId);
  let low = (await oldestLogSeq(tables, tenantId)) ?? last + 1;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = await tables.find(alertLogTable, { seq: middle, tenantId });
    // A line that the purge has taken meanwhile was older.
    if (line === undefined || line.at < since) low = middle + 1;
    else high = middle;
  }
  return low > last ? undefined : low;
}

/** Lines behind `afterSeq` with their alerts, in order; at most TAIL_LINES. */
export async function readTail(
  tables: LogTables,
  tenantId: TenantId,
  afterSeq: number,
): Promise<readonly LoggedAlert[]> {
  const { records } = await tables.page(alertLogTable, {
    equal: { tenantId },
    from: afterSeq + 1,
    index: 'key',
    limit: TAIL_LINES,
  });
  const ids = [...new Set(records.map(({ alertId }) => alertId))];
  const keys = ids.map((alertId) => ({ alertId, tenantId }));
  const found = await tables.findMany(alertTable, keys);
  const alerts = new Map(found.map((alert) => [alert.alertId, alert]));
  return records.flatMap((line) => {
    const alert = alerts.get(line.alertId);
    return alert === undefined ? [] : [{ alert, line }];
  });
}

/** Who is told once the log may have grown. */
type Listener = () => void;

/** What a gateway follows logs with. */
export interface LogWatchPorts {
  /** Differs where some log has grown. */
  readonly stamp: () => Promise<number>;
  readonly read: (tenantId: TenantId, afterSeq: number) => Promise<readonly LoggedAlert[]>;
  readonly everyMs: number;
  /** A look failed; the next one comes in time. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Tells the streams of a gateway that some log has grown. It looks at the stamp while there is a
 * stream, and not otherwise.
 */
export class LogWatch {
  readonly #ports: LogWatchPorts;
  readonly #listeners = new Set<Listener>();
  /** Reads under way, and ends of logs since one last grew. */
  readonly #tails = new Map<string, Promise<readonly LoggedAlert[]>>();
  #stamp: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: LogWatchPorts) {
    this.#ports = ports;
  }

  /** Calls `listener` after each growth, until the returned function is called. */
  follow(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#plan();
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Lines behind a place; streams that stand at the same place share the read. */
  tail(tenantId: TenantId, afterSeq: number): Promise<readonly LoggedAlert[]> {
    const key = `${tenantId}/${afterSeq}`;
    const known = this.#tails.get(key);
    if (known !== undefined) return known;
    const tail = this.#ports.read(tenantId, afterSeq);
    this.#tails.set(key, tail);
    const forget = (): void => {
      this.#tails.delete(key);
    };
    // Only the end of a log is kept: who reads old lines keeps none of them in memory.
    tail.then((lines) => lines.length > 0 && forget(), forget); // its readers get the error
    return tail;
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => void this.#look(), this.#ports.everyMs).unref();
  }

  async #look(): Promise<void> {
    try {
      const stamp = await this.#ports.stamp();
      if (stamp !== this.#stamp) {
        this.#stamp = stamp;
        this.#tails.clear();
        for (const listener of this.#listeners) listener();
      }
    } catch (error) {
      this.#ports.onFailed(error);
    }
    this.#timer = undefined;
    if (this.#listeners.size > 0) this.#plan();
    else this.#tails.clear();
  }
}
