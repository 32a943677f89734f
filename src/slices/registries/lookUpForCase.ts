/**
 * A lookup for a case: its outcome is a check of the case, and officers and owners that the case
 * does not have yet are taken from the registry, so that they are screened with it.
 */
import { type MayProcess, requireProcessing } from '#core/privacy';
import { foldText } from '#platform/foldText';
import { uuidV7 } from '#platform/random';
import {
  type BusinessPerson,
  type CaseAnswer,
  type CaseContent,
  type CasePorts,
  type CaseSubject,
  type Check,
  type CheckStatus,
  changeCase,
  originsOf,
  requireUndecided,
  type SeenCase,
  withChecks,
} from '#slices/customers';
import type { CompanyPerson } from './company.ts';
import { isNamed, type LookupAnswer, type LookupAsk, type PreparedLookup } from './lookUp.ts';

/** What changes the case. */
export interface CaseLookupPorts {
  readonly cases: CasePorts;
  readonly mayProcess: MayProcess;
}

/** Throws `case-unknown`, `state-conflict` once it is decided, `processing-restricted`. */
export async function commitForCase(
  { cases, mayProcess }: CaseLookupPorts,
  ask: LookupAsk & { readonly caseId: string },
  of: { readonly prepared: PreparedLookup; readonly kept: CaseAnswer },
): Promise<void> {
  const { actor, caseId, ip, tenantId } = ask;
  const { kept, prepared } = of;
  const place = { actor, answer: kept, caseId, tenantId, ...(ip !== undefined && { ip }) };
  await changeCase(cases, place, async (seen) => {
    requireUndecided(seen.record);
    const isRequired = seen.workflow.content.checks.includes('registry');
    const subject = { subjectRef: seen.record.externalRef, tenantId };
    if (!isRequired) await requireProcessing(mayProcess, subject, 'registry-lookup');
    const check = checkOf(cases, seen, prepared);
    const content = withPeople(cases, seen, prepared);
    return {
      beside: () => prepared.commit,
      change: { checks: withChecks(seen.record.checks, [check]) },
      entry: {
        action: 'kyc.case.checked',
        members: {
          checks: { registry: check.status },
          lookup_id: prepared.lookup.lookupId,
          reason_codes: [...check.reasonCodes],
        },
      },
      ...(content !== undefined && { content }),
    };
  });
}

type Found = readonly [status: CheckStatus, ...reasonCodes: string[]];

function checkOf(
  { clock, random }: Pick<CasePorts, 'clock' | 'random'>,
  { content }: SeenCase,
  { answer, lookup }: PreparedLookup,
): Check {
  const at = clock.now();
  const [status, ...reasonCodes] = judged(content.subject, answer);
  return {
    at,
    checkId: uuidV7(at, random),
    evidence: {
      answer_sha256: lookup.answerSha256,
      as_of: new Date(lookup.asOf).toISOString(),
      lookup_id: lookup.lookupId,
      match: answer.match,
      registry: lookup.registry,
      source: lookup.source,
    },
    reasonCodes,
    status,
    type: 'registry',
  };
}

/** A company passes that is active, and is who the case says. */
function judged(subject: CaseSubject, { company, match }: LookupAnswer): Found {
  if (company === null) return ['review', `registry_${match}`];
  if (company.status === 'struck_off') return ['fail', 'registry_struck_off'];
  const doubts: string[] = [];
  if (company.status !== 'active') doubts.push(`registry_${company.status}`);
  const { legal_name = '', registration_number: number, tax_id: taxId } = subject;
  if (!isNamed(company, legal_name)) doubts.push('registry_name_differs');
  const said = [number, taxId].filter((one) => one !== undefined).map(bare);
  if (!said.some((one) => one.startsWith(company.identifier))) {
    doubts.push('registry_number_differs');
  }
  return doubts.length === 0 ? ['pass'] : ['review', ...doubts];
}

const bare = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** Undefined where the case knows its people already, or the registry does not. */
function withPeople(
  { clock }: Pick<CasePorts, 'clock'>,
  { content, record }: SeenCase,
  { answer: { company }, lookup }: PreparedLookup,
): CaseContent | undefined {
  if (company === null || record.subjectType !== 'business') return undefined;
  const { subject } = content;
  const owners = company.beneficial_owners ?? [];
  const added: Pick<CaseSubject, 'beneficial_owners' | 'officers'> = {
    ...(subject.officers === undefined &&
      company.officers.length > 0 && { officers: company.officers.map(personOf) }),
    ...(subject.beneficial_owners === undefined &&
      owners.length > 0 && { beneficial_owners: owners.map(personOf) }),
  };
  if (Object.keys(added).length === 0) return undefined;
  const at = clock.now();
  const origins = originsOf(added, { at, ref: lookup.lookupId, source: 'registry' });
  return {
    ...content,
    provenance: { ...content.provenance, ...origins },
    subject: { ...subject, ...added },
  };
}

const personOf = ({ name, name_ar, role }: CompanyPerson): BusinessPerson => ({
  name,
  ...(name_ar !== null && foldText(name_ar) !== '' && { name_ar }),
  ...(role !== null && { role }),
});
