/** Whether an alert about a person is open: what is held of him is needed until it is closed. */
import { everyRecord, type Page, type PageCursor, type Tables, type TenantId } from '#core/kernel';
import type { DataSubject } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { exclusionTable } from '#slices/exclusions';
import { registeredScreeningTable, subjectKeyOfRef } from '#slices/screening';
import { alertIdOf, isClosed, SCREENED_RULES } from './alert.ts';
import { type CausePorts, subjectsOf } from './alertCause.ts';
import type { AlertSubject } from './alertSubject.ts';
import type { CustomersOfPayments, RuleKeysOfCustomer } from './asks.ts';
import type { ComparesAlerts } from './ports.ts';
import { ALERT_STATUSES, type Alert, alertTable } from './tables.ts';

const OPEN = ALERT_STATUSES.filter((status) => !status.startsWith('closed_'));
const TOGETHER = 200;
/** Alerts of which a process remembers whom they are about. */
const KNOWN_MAX = 20_000;

/** What open alerts are read with. */
export interface OpenAlertPorts extends Omit<CausePorts, 'tables'> {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'page'>;
  readonly customersOfPayments: CustomersOfPayments;
  readonly ruleKeysOfCustomer: RuleKeysOfCustomer;
  readonly signed: ComparesAlerts;
}

type Told = (alert: Alert) => Promise<AlertSubject>;

/** The person, by the digest of his reference. */
interface Asked {
  readonly key: string;
  readonly subjectRef?: string;
  readonly tenantId: TenantId;
}

/** One for a process: evidence says the same for ever, so each is read once. */
export class OpenAlerts {
  readonly #ports: OpenAlertPorts;
  /** By alert, and by the state of its rule: digests of whom it is about. */
  readonly #about = new Map<string, ReadonlySet<string>>();

  constructor(ports: OpenAlertPorts) {
    this.#ports = ports;
  }

  /**
   * Whom an alert is about stands in its evidence alone: a screening has the digest of the
   * customer's reference, payments and rules have the customer. One whose evidence cannot be read
   * is about whom the rows beside it name, and keeps nobody else: `doctor` names it.
   */
  async isOpenAbout({ subjectKey, subjectRef, tenantId }: DataSubject): Promise<boolean> {
    const key = subjectRef === undefined ? subjectKey : subjectKeyOfRef(tenantId, subjectRef);
    if (key === undefined) return false;
    const asked = { key, tenantId, ...(subjectRef !== undefined && { subjectRef }) };
    if (await this.#isClosedUnsigned(asked)) return true;
    let some: Alert[] = [];
    for (const status of OPEN) {
      const ask = { equal: { status, tenantId }, index: 'byStatus' };
      for await (const alert of everyRecord(this.#ports.tables, alertTable, ask)) {
        if (some.push(alert) < TOGETHER) continue;
        if (await this.#isAmong(some, asked)) return true;
        some = [];
      }
    }
    return this.#isAmong(some, asked);
  }

  /**
   * Every alert about the person that was raised by then, however it ended. Whom one is about
   * stands in evidence that an erasure destroys: it is asked before.
   */
  async *about(
    { subjectKey, subjectRef, tenantId }: DataSubject,
    { asOf }: { readonly asOf: EpochMs },
  ): AsyncGenerator<Alert> {
    const key = subjectRef === undefined ? subjectKey : subjectKeyOfRef(tenantId, subjectRef);
    if (key === undefined) return;
    const asked = { key, tenantId, ...(subjectRef !== undefined && { subjectRef }) };
    const ask = { equal: { tenantId }, index: 'newest', limit: TOGETHER };
    let after: PageCursor | undefined;
    do {
      const page: Page<Alert> = await this.#ports.tables.page(alertTable, {
        ...ask,
        ...(after !== undefined && { after }),
      });
      const some = page.records.filter(({ createdAt }) => createdAt <= asOf);
      const told = this.#toldOf(some);
      for (const alert of some) if (await this.#isOf(alert, told, asked)) yield alert;
      after = page.next;
    } while (after !== undefined);
  }

  /**
   * An alert is closed in the store by one word of whoever can write there; the chain has not
   * closed it.
   */
  async #isClosedUnsigned({ key, tenantId }: Asked): Promise<boolean> {
    const { signed, tables } = this.#ports;
    const ask = { equal: { subjectKey: key, tenantId }, index: 'bySubject' };
    const keys: Pick<Alert, 'alertId' | 'tenantId'>[] = [];
    for await (const row of everyRecord(tables, registeredScreeningTable, ask)) {
      if (row.decision === 'CLEAR') continue;
      const cause = { kind: 'screening', screeningId: row.screeningId } as const;
      keys.push({ alertId: alertIdOf(tenantId, cause), tenantId });
    }
    for (let at = 0; at < keys.length; at += TOGETHER) {
      const found = await tables.findMany(alertTable, keys.slice(at, at + TOGETHER));
      const closed = found.filter(isClosed);
      if ((await signed.areAsSigned(tenantId, closed)).includes(false)) return true;
    }
    return false;
  }

  async #isAmong(alerts: readonly Alert[], asked: Asked): Promise<boolean> {
    const told = this.#toldOf(alerts);
    for (const alert of alerts) if (await this.#isOf(alert, told, asked)) return true;
    return false;
  }

  /** Evidence of those that are not known yet, read together. */
  #toldOf(alerts: readonly Alert[]): Told {
    const unread = alerts.filter((alert) => !this.#about.has(nameOf(alert)));
    return subjectsOf(this.#ports, unread, { isWhole: true });
  }

  async #isOf(alert: Alert, told: Told, asked: Asked): Promise<boolean> {
    return (
      (await this.#isAbout(alert, told, asked)) || (await isOfPayments(this.#ports, alert, asked))
    );
  }

  async #isAbout(alert: Alert, told: Told, asked: Asked): Promise<boolean> {
    const known = this.#about.get(nameOf(alert));
    if (known !== undefined) return known.has(asked.key);
    const subject = await told(alert);
    if (subject.fault !== undefined) return isNamedBeside(this.#ports, alert, asked);
    const about = keysOf(subject, alert);
    this.#about.set(nameOf(alert), about);
    const [oldest] = this.#about.keys();
    if (this.#about.size > KNOWN_MAX && oldest !== undefined) this.#about.delete(oldest);
    return about.has(asked.key);
  }
}

const nameOf = ({ alertId, rule }: Alert): string => `${alertId} ${rule?.digest ?? ''}`;

function keysOf(
  { externalId, rule, subjectKey }: AlertSubject,
  { tenantId }: Pick<Alert, 'tenantId'>,
): ReadonlySet<string> {
  const refs = [externalId, rule?.customerId].filter((ref) => ref !== undefined);
  const keys = refs.map((ref) => subjectKeyOfRef(tenantId, ref));
  return new Set(subjectKey === undefined ? keys : [...keys, subjectKey]);
}

/** What rows beside evidence that cannot be read say of whom it is about. */
async function isNamedBeside(
  { ruleKeysOfCustomer, tables }: OpenAlertPorts,
  { cause, tenantId }: Alert,
  { key, subjectRef }: Asked,
): Promise<boolean> {
  if (cause.kind === 'list_change') return cause.subjectId === key;
  if (cause.kind === 'rule') {
    if (subjectRef === undefined) return false;
    return (await ruleKeysOfCustomer({ subjectRef, tenantId })).includes(cause.subjectKey);
  }
  let screeningId = cause.kind === 'screening' ? cause.screeningId : undefined;
  if (cause.kind === 'exclusion_ended') {
    const { exclusionId } = cause;
    const found = await tables.find(exclusionTable, { exclusionId, tenantId });
    if (found?.subjectRef !== undefined && found.subjectRef === subjectRef) return true;
    screeningId = found?.screeningId;
  }
  if (screeningId === undefined) return false;
  const row = await tables.find(registeredScreeningTable, { screeningId, tenantId });
  return row?.subjectKey === key;
}

/**
 * Whether a listed party was found in a payment of the person. Payments that are not what was
 * logged name nobody, and free nobody whom others of them name.
 */
async function isOfPayments(
  { customersOfPayments }: OpenAlertPorts,
  { cause, ruleId = '', tenantId }: Alert,
  { key }: Asked,
): Promise<boolean> {
  if (cause.kind !== 'screening' || !SCREENED_RULES.includes(ruleId)) return false;
  const { screeningId } = cause;
  return (await customersOfPayments({ screeningId, tenantId })).keys.has(key);
}
