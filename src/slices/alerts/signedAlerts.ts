/**
 * Alerts are compared with the chain (decision 3.1b): an alert is what its last entry, signed, made
 * it, and is refused where it is not, before anything is answered from it or done by it. So one
 * that was put back as it once was is refused as well. `doctor` and `audit verify --state` follow
 * all entries from revision to revision, and so find those that were invented, removed, or changed
 * from a state that was not the last.
 */
import {
  type AuditStore,
  entryAbout,
  entryPages,
  findEntryNear,
  type JsonRecord,
  type KeyRing,
  type SealedEvent,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, everyRecord, type Tables, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { alertDigest, targetOf } from './alert.ts';
import { auditActions } from './auditActions.ts';
import type { ComparesAlerts } from './ports.ts';
import { type Alert, alertTable } from './tables.ts';

/** What the chain is read with. */
export interface SignedAlertPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'lastEntries' | 'readEvents'>;
  readonly keyRing: KeyRing;
}

/** Alerts whose last entries a process has verified and keeps. */
const KNOWN_MAX = 10_000;

/** Says which alerts are what was signed; one for a process. */
export class SignedAlerts implements ComparesAlerts {
  readonly #ports: SignedAlertPorts;
  /** Bodies of entries that were verified, by alert: the same text need not be verified again. */
  readonly #known = new Map<string, string>();

  constructor(ports: SignedAlertPorts) {
    this.#ports = ports;
  }

  async isAsSigned(alert: Alert): Promise<boolean> {
    const [isSigned = false] = await this.areAsSigned(alert.tenantId, [alert]);
    return isSigned;
  }

  async areAsSigned(
    tenantId: TenantId,
    alerts: readonly Alert[],
    turn: () => Promise<void> = async () => {},
  ): Promise<readonly boolean[]> {
    if (alerts.length === 0) return [];
    const chainId = chainOf(tenantId);
    const targets = alerts.map(targetOf);
    const events = await this.#ports.audit.lastEntries({ chainId, targets });
    const answers: boolean[] = [];
    for (const [at, alert] of alerts.entries()) {
      const event = events[at];
      answers.push(
        event === undefined
          ? await isToldAmongOthers(this.#ports, alert)
          : this.#entryOf(tenantId, targetOf(alert), event)?.alert_digest === alertDigest(alert),
      );
      await turn();
    }
    return answers;
  }

  #entryOf(tenantId: TenantId, target: string, event: SealedEvent): JsonRecord | undefined {
    const key = `${tenantId}/${target}`;
    if (this.#known.get(key) === event.body) return storedMembers(event);
    const entry = verifiedEvent(event, {
      chainId: chainOf(tenantId),
      keyRing: this.#ports.keyRing,
    });
    if (entry === undefined || entry.target !== target) return undefined;
    this.#known.delete(key);
    this.#known.set(key, event.body);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
    return entry;
  }
}

interface Raised {
  readonly alert_id: string;
  readonly alert_digest: string;
}

const raisedIn = ({ alerts = [] }: JsonRecord) => alerts as readonly Raised[];

/** An entry that raised several alerts, of a former release: the alert has had no step since. */
async function isToldAmongOthers(
  { audit, keyRing }: SignedAlertPorts,
  alert: Alert,
): Promise<boolean> {
  const chainId = chainOf(alert.tenantId);
  const digest = alertDigest(alert);
  const tells = (entry: JsonRecord): boolean =>
    entry.target === targetOf(alert)
      ? entry.alert_digest === digest
      : raisedIn(entry).some(
          ({ alert_digest, alert_id }) => alert_id === alert.alertId && alert_digest === digest,
        );
  const isIt = (event: SealedEvent): boolean => tells(storedMembers(event));
  const near = { action: alert.action, isIt, near: alert.updatedAt };
  const found = await findEntryNear(audit, chainId, near);
  const entry = found && verifiedEvent(found, { chainId, keyRing });
  return entry !== undefined && tells(entry);
}

/** What the entry of a new alert tells of it, as it was signed. Throws `evidence-altered`. */
export async function raisedAsSigned(
  ports: Pick<SignedAlertPorts, 'audit' | 'keyRing'>,
  of: Pick<Alert, 'alertId' | 'tenantId'> & { readonly near: EpochMs },
): Promise<JsonRecord> {
  const { account_id, raised } = await entryAbout(ports, {
    actions: ['aml.alert.created'],
    chainId: chainOf(of.tenantId),
    isIt: (members) => typeof members.raised === 'object',
    near: of.near,
    target: targetOf(of),
  });
  // The account stands in the open part: gone once it was erased.
  return { ...(raised as JsonRecord), account_id: account_id ?? null };
}

/**
 * What is wrong with the alerts of a tenant, in words; how many there are. It keeps some hundred
 * bytes for each alert that was ever raised.
 */
export async function checkAlerts(
  ports: Pick<SignedAlertPorts, 'keyRing'> & {
    readonly audit: Pick<AuditStore, 'readEvents'>;
    readonly tables: Pick<Tables, 'page'>;
  },
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const told = await lastRevisions(ports, tenantId);
  const refusals: string[] = [...told.bad];
  let count = 0;
  const records = everyRecord(ports.tables, alertTable, { equal: { tenantId }, index: 'newest' });
  for await (const alert of records) {
    const last = told.last.get(alert.alertId);
    told.last.delete(alert.alertId);
    if (last?.digest !== alertDigest(alert)) {
      refusals.push(`alert ${alert.alertId}: it is not what its last entry made it`);
    }
    count += 1;
  }
  const gone = [...told.last.keys()].map((id) => `alert ${id}: its record is gone`);
  return { count, refusals: [...refusals, ...gone] };
}

/** What one entry says that an alert became. */
interface Revision {
  readonly seq: number;
  readonly id: string;
  readonly digest: string;
  /** What it was before; null: it was raised. Absent in entries of a former release. */
  readonly formerDigest?: string | null;
}

/** The last revision of each alert; entries that are not signed or follow no other are told. */
async function lastRevisions(
  {
    audit,
    keyRing,
  }: Pick<SignedAlertPorts, 'keyRing'> & {
    readonly audit: Pick<AuditStore, 'readEvents'>;
  },
  tenantId: TenantId,
): Promise<{ readonly last: Map<string, Revision>; readonly bad: readonly string[] }> {
  const chainId = chainOf(tenantId);
  const found: Revision[] = [];
  const bad: string[] = [];
  for (const action of Object.keys(auditActions)) {
    for await (const page of entryPages(audit, { action, chainId, fromSeq: 1 })) {
      for (const event of page) {
        const entry = verifiedEvent(event, { chainId, keyRing });
        if (entry === undefined) bad.push(`entry seq ${event.seq}: it is not what was signed`);
        else found.push(...revisionsOf(entry, event));
      }
    }
  }
  found.sort((one, other) => one.seq - other.seq);
  const last = new Map<string, Revision>();
  for (const revision of found) {
    if (!follows(last.get(revision.id), revision)) {
      bad.push(`alert ${revision.id}: its entry seq ${revision.seq} follows not the one before`);
    }
    last.set(revision.id, revision);
  }
  return { bad, last };
}

/** Whether a revision was made of the one before; one commit may have two entries about one. */
function follows(before: Revision | undefined, { digest, formerDigest }: Revision): boolean {
  if (formerDigest === undefined) return true;
  if (before === undefined) return formerDigest === null;
  const isSame = before.digest === digest && before.formerDigest === formerDigest;
  return isSame || before.digest === formerDigest;
}

/** Ids of the alerts that an entry says something of. */
export const alertIdsIn = (entry: JsonRecord): readonly string[] =>
  revisionsOf(entry, { seq: 0 }).map(({ id }) => id);

function revisionsOf(entry: JsonRecord, { seq }: Pick<SealedEvent, 'seq'>): Revision[] {
  const raised = raisedIn(entry).map(({ alert_digest, alert_id }) => ({
    digest: alert_digest,
    id: alert_id,
    seq,
  }));
  const id = /^alert:(.+)$/.exec(String(entry.target))?.[1];
  if (id === undefined) return raised;
  const { alert_digest, former_digest } = entry as {
    readonly alert_digest?: unknown;
    readonly former_digest?: string | null;
  };
  const formerDigest = former_digest === undefined ? {} : { formerDigest: former_digest };
  return [...raised, { digest: String(alert_digest), id, seq, ...formerDigest }];
}
