/**
 * A legal hold that is said to be in force is passed by nothing: while it is written the erasures
 * of its subject are taken from the workers, so that none stands between its look for holds and
 * what it erases. Where a worker has one in hand the hold is written all the same, and is in force
 * once that worker has come to its next look.
 */
import {
  allRecords,
  everyRecord,
  type Leased,
  type TableChange,
  type Tables,
  type TenantId,
} from '#core/kernel';
import { isTagOf } from './approveErasure.ts';
import type { ErasePorts } from './erasePorts.ts';
import { type ErasureWork, erasureWorkTable } from './erasureTables.ts';
import { privacyRequestTable } from './tables.ts';

/** What erasures are stopped with. */
export interface StopPorts extends Pick<ErasePorts, 'secrets'> {
  /** Names this process, as for any lease. */
  readonly holder: string;
  readonly tables: Pick<Tables, 'claim' | 'find' | 'giveBack' | 'held' | 'page'>;
}

/** Whose erasures. */
interface Named {
  readonly tenantId: TenantId;
  readonly subjectRef: string;
}

/** Erasures of a subject, out of the workers' hands until they are released. */
export interface StoppedErasures {
  /** No worker has one in hand. */
  readonly isStopped: boolean;
  /** For the commit: it is stale where one more was approved meanwhile. */
  readonly expected: readonly TableChange[];
  release(): Promise<void>;
}

/** Release them, whatever comes. */
export async function stopErasures(ports: StopPorts, of: Named): Promise<StoppedErasures> {
  const { holder, tables } = ports;
  // Read first: what is approved later makes the commit stale, what was before is in the work.
  const expected = await beforeApproval(ports, of);
  const claimed: Leased<ErasureWork>[] = [];
  const release = async (): Promise<void> => {
    for (const { lease, record } of claimed.splice(0)) {
      const claim = { fence: lease.fence, holder };
      await tables.giveBack(erasureWorkTable, { claim, isTried: false, key: placeOf(record) });
    }
  };
  try {
    let isStopped = true;
    for (const work of await openWork(ports, of)) {
      const leased = await tables.claim(erasureWorkTable, { holder, key: placeOf(work) });
      if (leased === undefined) isStopped = false;
      else claimed.push(leased);
    }
    return { expected, isStopped, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Whether a worker has an erasure of the subject in hand. */
export async function isErasureInHand(ports: StopPorts, of: Named): Promise<boolean> {
  for (let after: readonly string[] | undefined; ; ) {
    const rows = await ports.tables.held(erasureWorkTable, {
      limit: PAGE,
      ...(after && { after }),
    });
    for (const { record } of rows) {
      if (record.tenantId === of.tenantId && (await isOf(ports, record, of))) return true;
    }
    const last = rows.at(-1)?.record;
    if (last === undefined || rows.length < PAGE) return false;
    after = [last.tenantId, last.requestId];
  }
}

const PAGE = 500;

const placeOf = ({ requestId, tenantId }: ErasureWork) => ({ requestId, tenantId });

/** Requests whose erasure may be approved next; one may name the subject by another id. */
async function beforeApproval(
  { tables }: StopPorts,
  { subjectRef, tenantId }: Named,
): Promise<readonly TableChange[]> {
  const ask = { equal: { isOpen: true, tenantId }, index: 'open' };
  const open = await allRecords(tables, privacyRequestTable, ask);
  return open
    .filter(({ action, status }) => action === 'erase' && status === 'awaiting_approval')
    .filter((one) => one.subjectRef === undefined || one.subjectRef === subjectRef)
    .map(({ requestId, version }) =>
      privacyRequestTable.expect({ requestId, tenantId }, { version }),
    );
}

async function openWork(ports: StopPorts, of: Named): Promise<readonly ErasureWork[]> {
  const found: ErasureWork[] = [];
  const ask = { equal: { tenantId: of.tenantId }, index: 'key' };
  for await (const work of everyRecord(ports.tables, erasureWorkTable, ask)) {
    if (work.state !== 'ended' && (await isOf(ports, work, of))) found.push(work);
  }
  return found;
}

/** Its request names the subject by a tag; one that is gone may have named anybody. */
async function isOf(ports: StopPorts, work: ErasureWork, of: Named): Promise<boolean> {
  const request = await ports.tables.find(privacyRequestTable, placeOf(work));
  const tag = request?.erasure?.tag;
  return request === undefined || (tag !== undefined && isTagOf(ports, tag, of));
}
