/**
 * The next customers of a run, compared with the entries that made them what they are. One that was
 * changed past the service is refused by name, one that was taken away is missed, and one that was
 * invented is left out.
 */
import type { RescreeningPorts } from './ports.ts';
import { subjectDigest } from './registerSubjects.ts';
import { knownDigest, type SignedCustomer, type SignedRegister } from './signedRegister.ts';
import { isDue, type MonitoredSubject, monitoredTable, type RescreeningRun } from './tables.ts';

/** Customers of one page. */
export const CUSTOMERS_PAGE = 500;

/** One row of the register, or the place where one should be. */
export interface NextCustomer {
  readonly subjectId: string;
  /** Absent: an entry says that he is watched, and there is no row. */
  readonly customer?: MonitoredSubject;
  /** As entries tell it; absent: no entry tells of him. */
  readonly digest?: string;
  /** Why he is not screened as his row says. */
  readonly refusal?: 'altered' | 'invented' | 'missing';
  /** Hits that he is said to have come with are not what was signed, and were left out. */
  readonly isKnownForged?: true;
}

/** A page, in the order of ids. */
export interface NextCustomers {
  readonly customers: readonly NextCustomer[];
  /** No further one comes. */
  readonly isLast: boolean;
}

type Ports = Pick<RescreeningPorts, 'entries' | 'tables'>;

/** Customers behind `after`; those of runs over everybody are all that entries tell of. */
export async function nextCustomers(
  ports: Ports,
  of: {
    readonly run: Pick<RescreeningRun, 'lane' | 'tenantId'>;
    readonly register: SignedRegister;
    readonly after: string | undefined;
  },
): Promise<NextCustomers> {
  const { after, register, run } = of;
  const page = await pageAfter(ports, run, after);
  const isLast = page.length < CUSTOMERS_PAGE;
  const rows = new Map(page.map((customer) => [customer.subjectId, customer]));
  // Entries after rows: what came between is a newer state, and is looked at again.
  await register.readOn();
  const signed =
    run.lane === 'lists'
      ? await register.between(after, isLast ? undefined : page.at(-1)?.subjectId)
      : await register.of([...rows.keys()]);
  const first = compared(rows, signed);
  const doubtful = first.filter(isDoubtful);
  if (doubtful.length === 0) return { customers: first, isLast };
  const settled = await lookAgain(ports, of, doubtful);
  const customers = first.flatMap((one) => {
    return isDoubtful(one) ? (settled.get(one.subjectId) ?? []) : [one];
  });
  return { customers, isLast };
}

/** Whether he is named as not being what was signed. */
export const isDoubtful = ({ isKnownForged, refusal }: NextCustomer): boolean =>
  refusal !== undefined || isKnownForged === true;

const WALKED = {
  bulk: { equal: { isDueLater: true }, index: 'dueLater' },
  lists: { equal: { state: 'active' }, index: 'byState' },
  new: { equal: { isDue: true }, index: 'due' },
} as const;

async function pageAfter(
  { tables }: Ports,
  { lane, tenantId }: Pick<RescreeningRun, 'lane' | 'tenantId'>,
  after: string | undefined,
): Promise<readonly MonitoredSubject[]> {
  const { equal, index } = WALKED[lane];
  const { records } = await tables.page(monitoredTable, {
    equal: { ...equal, tenantId },
    index,
    limit: CUSTOMERS_PAGE,
    ...(after !== undefined && { after: [after, tenantId, after] }),
  });
  return records;
}

/** Rows and what entries tell, side by side, in the order of ids. */
function compared(
  rows: ReadonlyMap<string, MonitoredSubject>,
  signed: ReadonlyMap<string, SignedCustomer>,
): readonly NextCustomer[] {
  const ids = [...new Set([...rows.keys(), ...signed.keys()])].sort();
  return ids.map((subjectId) => nextOf(subjectId, rows.get(subjectId), signed.get(subjectId)));
}

function nextOf(
  subjectId: string,
  customer: MonitoredSubject | undefined,
  signed: SignedCustomer | undefined,
): NextCustomer {
  if (signed === undefined)
    return { ...(customer && { customer }), refusal: 'invented', subjectId };
  const { digest } = signed;
  if (customer === undefined) return { digest, refusal: 'missing', subjectId };
  if (subjectDigest(customer) !== digest) {
    return { customer, digest, refusal: 'altered', subjectId };
  }
  if (isKnownAsSigned(customer, signed)) return { customer, digest, subjectId };
  const { known: _, ...rest } = customer;
  return { customer: rest, digest, isKnownForged: true, subjectId };
}

/** What was known of a customer counts until he is screened by himself. */
function isKnownAsSigned(customer: MonitoredSubject, signed: SignedCustomer): boolean {
  if (customer.known === undefined) return true;
  return isDue(customer) && signed.known === knownDigest(customer.known);
}

/** Rows that were changed while they were read come out as they are now, or not at all. */
function lookAgain(
  ports: Ports,
  of: { readonly run: Pick<RescreeningRun, 'tenantId'>; readonly register: SignedRegister },
  doubtful: readonly NextCustomer[],
): Promise<ReadonlyMap<string, NextCustomer>> {
  const { register, run } = of;
  const { tenantId } = run;
  const ids = doubtful.map(({ subjectId }) => subjectId);
  return ports.entries.settled(tenantId, async () => {
    const keys = ids.map((subjectId) => ({ subjectId, tenantId }));
    const found = await ports.tables.findMany(monitoredTable, keys);
    const active = found.filter(({ state }) => state === 'active');
    const rows = new Map(active.map((customer) => [customer.subjectId, customer]));
    await register.readOn();
    const next = compared(rows, await register.of(ids));
    const isRefused = next.some(isDoubtful);
    return { found: new Map(next.map((one) => [one.subjectId, one])), isRefused };
  });
}
