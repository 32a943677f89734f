/**
 * Customers of a tenant as a batch takes them (`StoredCases` of the batches): of each reference the
 * newest case that fits and that no later one replaces. A customer under renewal stays in, and so
 * does one whose case is looked at again, by the decision that stands. Who was erased is not there;
 * who has no name is, without one, so that the batch names them among the rejected.
 */
import { DomainError } from '#core/kernel';
import { isPseudonym } from '#core/privacy';
import type { CohortFilter, StoredCases } from '#slices/batches';
import type { Subject } from '#slices/intake';
import type { CasePorts } from './ports.ts';
import { screenedSubject } from './screenedSubject.ts';
import { readContent } from './subjects.ts';
import { type CaseRecord, caseTable } from './tables.ts';

/** Rows that one step looks at, all of one tenant, in order of their references. */
const PAGE = 1_000;
/** Keys that are opened at once. */
const AT_ONCE = 32;

type Ports = Pick<CasePorts, 'dataKeys' | 'random' | 'tables'>;
type Ask = Parameters<StoredCases['listSubjects']>[0];

/** One page, by reference in the order of its UTF-8 bytes. */
export async function cohortOf(ports: Ports, ask: Ask): Promise<readonly Subject[]> {
  const { filter, limit } = ask;
  const subjects: Subject[] = [];
  let group: CaseRecord[] = [];
  let chosen: CaseRecord[] = [];
  const close = () => {
    const fitting = group.findLast((one) => fits(one, filter));
    if (fitting !== undefined) chosen.push(fitting);
    group = [];
  };
  const open = async () => {
    const found = await Promise.all(chosen.map((one) => subjectOf(ports, one)));
    chosen = [];
    for (const subject of found) if (subject && isOf(subject, filter)) subjects.push(subject);
  };
  for await (const record of byReference(ports, ask)) {
    if (group[0] !== undefined && group[0].externalRef !== record.externalRef) close();
    group.push(record);
    if (chosen.length >= AT_ONCE) await open();
    if (subjects.length >= limit) return subjects.slice(0, limit);
  }
  close();
  await open();
  return subjects.slice(0, limit);
}

/** Rows behind the last reference of the page before; within one reference the oldest first. */
async function* byReference(
  { tables }: Pick<Ports, 'tables'>,
  { afterExternalId, tenantId }: Ask,
): AsyncGenerator<CaseRecord> {
  let after: readonly string[] | undefined =
    afterExternalId === undefined ? undefined : [afterExternalId, tenantId, BEHIND_ALL];
  for (;;) {
    const page = await tables.page(caseTable, {
      equal: { tenantId },
      index: 'byRef',
      isWhole: true,
      limit: PAGE,
      ...(after && { after }),
    });
    yield* page.records;
    if (page.next === undefined) return;
    after = page.next as readonly string[];
  }
}

/** Sorts behind every id. */
const BEHIND_ALL = '\uffff';

/** A case that is looked at again fits by the decision that stands, too. */
function fits(record: CaseRecord, { caseRiskTiers, caseStatus }: CohortFilter): boolean {
  if (record.supersededBy !== undefined || record.erasedAt !== undefined) return false;
  const isStatus =
    caseStatus === undefined || record.status === caseStatus || record.standing === caseStatus;
  const { riskTier } = record;
  const isTier =
    caseRiskTiers === undefined || (riskTier !== undefined && caseRiskTiers.includes(riskTier));
  return isStatus && isTier;
}

const isOf = (subject: Subject, { countryResidence }: CohortFilter): boolean =>
  countryResidence === undefined || subject.country_residence === countryResidence;

/** Undefined: erased since the row was read, or kept under a pseudonym, which names nobody. */
async function subjectOf(ports: Ports, record: CaseRecord): Promise<Subject | undefined> {
  const content = await readContent(ports, record).catch(unlessErased);
  if (content === undefined) return undefined;
  const { country_residence } = content.subject;
  const screened = screenedSubject(record, content.subject);
  if (screened !== undefined || isPseudonym(record.externalRef)) return screened;
  return {
    external_id: record.externalRef,
    full_name: '',
    ...(country_residence !== undefined && { country_residence }),
  };
}

function unlessErased(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'subject-erased') return undefined;
  throw error;
}
