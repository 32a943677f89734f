/**
 * A list of screenings as a person sees it: a page of the register, each row from its event, which
 * is checked as it is read, and how far the chain behind it is good. That somebody looked is an
 * entry of its own.
 */
import { type Asker, entry } from '#core/audit';
import { type Person, type Principal, personOf } from '#core/identity';
import { chainOf, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type Alert, alertIdOf, alertTable } from '#slices/alerts';
import { auditRoles } from '#slices/audit';
import type { RegisteredScreening } from '#slices/screening';
import type { CheckCaller } from './asks.ts';
import { tellBreak } from './chainBreaks.ts';
import { type CheckedScreening, checkScreenings } from './checkShown.ts';
import { seqOfMissing } from './missingEvent.ts';
import type { RegisterPorts } from './ports.ts';
import {
  readScreeningPage,
  type ScreeningFilter,
  type ScreeningPageAsk,
  type ScreeningPlace,
  type SeenBy,
} from './screeningPages.ts';

/** What a list is read with. */
export interface ListPorts extends RegisterPorts {
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
}

/** Alerts of a person that are looked at for what was assigned to them, the latest first. */
const ASSIGNED_MAX = 1_000;

/** A row of a list. */
export interface ListedScreening extends CheckedScreening {
  readonly row: RegisteredScreening;
  /** State of its alert; undefined where it has none. */
  readonly review?: Alert['status'];
}

export interface ListedScreenings {
  readonly screenings: readonly ListedScreening[];
  readonly next?: ScreeningPlace;
}

export interface ListAsk {
  readonly tenantId: TenantId;
  /** Absent: the administrator at the command line, who sees all. */
  readonly principal?: Principal;
  readonly asker: Asker;
  readonly filter: ScreeningFilter;
  /** As the caller sent them: their digest stands in the entry. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly after?: ScreeningPlace;
  readonly limit: number;
  readonly mayReadOn?: ScreeningPageAsk['mayReadOn'];
}

/** Rejects as the thread does that checks events. */
export async function listScreenings(
  ports: ListPorts,
  ask: ListAsk,
  by: Omit<CheckCaller, 'turn'> = {},
): Promise<ListedScreenings> {
  const { after, filter, limit, mayReadOn, principal, tenantId } = ask;
  startChecking(ports, tenantId, by);
  const seenBy = principal && (await seenByOf(ports, principal));
  const { next, rows } = await readScreeningPage(ports, {
    filter,
    limit,
    now: ports.clock.now(),
    tenantId,
    ...(after !== undefined && { after }),
    ...(mayReadOn !== undefined && { mayReadOn }),
    ...(seenBy !== undefined && { seenBy }),
  });
  const screeningIds = rows.map(({ screeningId }) => screeningId);
  const [checked, reviews] = await Promise.all([
    checkScreenings(ports, { screeningIds, tenantId }, by),
    reviewsOf(ports.tables, tenantId, rows),
  ]);
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [],
    events: [
      entry(ports, {
        ...ask.asker,
        action: 'screenings.viewed',
        members: {
          count: rows.length,
          filter_digest: sha256Hex(canonicalJson(ask.asked)),
        },
        target: 'screenings',
      }),
    ],
  });
  const screenings = rows.flatMap((row, at): ListedScreening[] => {
    const screening = checked[at];
    const review = reviews.get(row.screeningId);
    return screening ? [{ ...screening, row, ...(review !== undefined && { review }) }] : [];
  });
  await tellFaults(ports, tenantId, screenings);
  return { screenings, ...(next !== undefined && { next }) };
}

/** A thread that rests starts while the store is read: whoever looks first waits for the longer. */
function startChecking(
  { check }: Pick<ListPorts, 'check'>,
  tenantId: TenantId,
  by: Omit<CheckCaller, 'turn'>,
): void {
  const nothing = { chainId: chainOf(tenantId), events: [] };
  // One that cannot start, or has no room, says so to the check of the first events.
  check(nothing, { ...by, turn: tenantId }).catch(() => undefined);
}

/** Before the answer: by then what they lock is locked. */
async function tellFaults(
  ports: ListPorts,
  tenantId: TenantId,
  screenings: readonly ListedScreening[],
): Promise<void> {
  const chainId = chainOf(tenantId);
  for (const { event, fault, row } of screenings) {
    if (fault === undefined) continue;
    const seq = event?.seq ?? (await seqOfMissing(ports.audit, chainId, row.occurredAt));
    // A row without an event and without a gap in the chain was put there: no evidence is missing.
    if (seq !== undefined) await tellBreak(ports, { chainId, seq }, fault);
  }
}

const isEvidenceRole = (role: string): boolean =>
  (auditRoles.evidence as readonly string[]).includes(role);

/** Undefined: all screenings are theirs to see. */
export async function seenByOf(
  ports: Pick<ListPorts, 'listPersons' | 'tables'>,
  principal: Principal,
): Promise<SeenBy | undefined> {
  if (principal.roles.some(isEvidenceRole)) return undefined;
  const { id, tenantId } = principal;
  const person = personOf(principal, await ports.listPersons(tenantId));
  const kind = principal.kind === 'user' ? 'user' : 'key';
  const assignee = person === undefined ? `${kind}:${id}` : `person:${person.id}`;
  const { records } = await ports.tables.page(alertTable, {
    direction: 'descending',
    equal: { assignee, tenantId },
    index: 'byAssignee',
    limit: ASSIGNED_MAX,
  });
  const assigned = records.flatMap(({ cause }) =>
    cause.kind === 'screening' ? [cause.screeningId] : [],
  );
  return { assigned, requestedBy: id };
}

async function reviewsOf(
  tables: Pick<Tables, 'findMany'>,
  tenantId: TenantId,
  rows: readonly RegisteredScreening[],
): Promise<ReadonlyMap<string, Alert['status']>> {
  const hit = rows.filter(({ decision }) => decision !== 'CLEAR');
  if (hit.length === 0) return new Map();
  const idOf = ({ screeningId }: RegisteredScreening) =>
    alertIdOf(tenantId, { kind: 'screening', screeningId });
  const keys = hit.map((row) => ({ alertId: idOf(row), tenantId }));
  const alerts = await tables.findMany(alertTable, keys);
  const status = new Map(alerts.map((alert) => [alert.alertId, alert.status]));
  return new Map(
    hit.flatMap((row) => {
      const found = status.get(idOf(row));
      return found === undefined ? [] : [[row.screeningId, found] as const];
    }),
  );
}
