/**
 * Troubles as states: what is wrong now is opened where it does not stand, counted where it does,
 * and closed once it is over, each change a commit of its own with an entry and an event. Of one
 * code, scope and subject at most one is open, whatever the number of workers: the store holds
 * that.
 */
import { type EntryContext, entry, StaleChange } from '#core/audit';
import { allRecords, PLATFORM_CHAIN } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import { type TroubleCode, troubleRow } from './codes.ts';
import type { Seen } from './lookOut.ts';
import type { WatchPorts } from './ports.ts';
import { type Trouble, troubleTable } from './tables.ts';

const ACTOR = 'system:vitals';

/** What one look has changed. */
export interface Watched {
  readonly opened: number;
  readonly closed: number;
}

/** @param codes those that were looked out for: others are left as they stand */
export async function reconcile(
  ports: Pick<WatchPorts, 'clock' | 'commit' | 'random' | 'tables'>,
  seen: readonly Seen[],
  codes: ReadonlySet<TroubleCode>,
): Promise<Watched> {
  const standing = await openTroubles(ports.tables);
  const known = new Map(standing.map((one) => [nameOf(one), one]));
  let [closed, opened] = [0, 0];
  for (const one of seen) {
    const found = known.get(nameOf(one));
    known.delete(nameOf(one));
    if (found !== undefined && found.params.status === one.params.status) {
      await countOne(ports, found);
      continue;
    }
    // A cluster that was yellow and is red is told anew.
    if (found !== undefined) closed += await closeOne(ports, found);
    opened += await openOne(ports, one);
  }
  for (const over of known.values())
    if (codes.has(over.code)) closed += await closeOne(ports, over);
  return { closed, opened };
}

const nameOf = ({ code, scope, subjectId }: Pick<Seen, 'code' | 'scope' | 'subjectId'>): string =>
  `${code}/${scope}/${subjectId}`;

/** Those that are open, in no order; with `scope` those of one tenant, or EVERYBODY's. */
export const openTroubles = (
  tables: WatchPorts['tables'],
  scope?: string,
): Promise<readonly Trouble[]> => {
  const equal = scope === undefined ? { isOpen: true } : { isOpen: true, scope };
  return allRecords(tables, troubleTable, { equal, index: 'open' });
};

type Ports = Parameters<typeof reconcile>[0];

function openOne(ports: Ports, seen: Seen): Promise<number> {
  const now = ports.clock.now();
  const trouble: Trouble = {
    ...seen,
    count: 1,
    lastSeenAt: now,
    openedAt: now,
    status: 'open',
    troubleId: uuidV7(now, ports.random),
    version: 1,
  };
  return commitOne(ports, trouble, 'opened');
}

function closeOne(ports: Ports, trouble: Trouble): Promise<number> {
  const { version } = trouble;
  const closed = { ...trouble, closedAt: ports.clock.now(), status: 'closed' } as const;
  return commitOne(ports, { ...closed, version: version + 1 }, 'closed');
}

async function countOne(
  { clock, tables }: Ports,
  { count = 0, troubleId }: Trouble,
): Promise<void> {
  await tables.saveWork(troubleTable, {
    key: { troubleId },
    work: { count: count + 1, lastSeenAt: clock.now() },
  });
}

/** 0: another worker was first. */
async function commitOne(
  ports: Ports,
  trouble: Trouble,
  verb: 'closed' | 'opened',
): Promise<number> {
  const { code, params, scope, subjectId, subjectKind, troubleId, version } = trouble;
  const subject = { id: subjectId, kind: subjectKind };
  try {
    await ports.commit(PLATFORM_CHAIN, {
      bus: [
        {
          partition: PLATFORM_CHAIN,
          payload: {
            alertId: troubleId,
            code,
            scope,
            severity: troubleRow(code).severity,
            subject,
          },
          topic: `operations.alert.${verb}`,
        },
      ],
      changes: [
        verb === 'opened' ? troubleTable.insert(trouble) : troubleTable.put(trouble, version - 1),
      ],
      events: [entryOf(ports, trouble, verb, { params, subject })],
    });
    return 1;
  } catch (error) {
    if (error instanceof StaleChange) return 0;
    throw error;
  }
}

const entryOf = (
  context: EntryContext,
  { code, scope, troubleId }: Trouble,
  verb: 'closed' | 'opened',
  {
    params,
    subject,
  }: { readonly params: Trouble['params']; readonly subject: { id: string; kind: string } },
) =>
  entry(context, {
    action: verb === 'opened' ? 'OPERATIONAL_ALERT_OPENED' : 'OPERATIONAL_ALERT_CLOSED',
    actor: ACTOR,
    members: { code, params: { ...params }, scope, subject },
    severity: verb === 'opened' ? 'NOTICE' : 'INFO',
    target: `alert:${troubleId}`,
  });
