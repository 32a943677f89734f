/** Evidence against an indicium: the holder is classified anew, with it. */
import { type IdempotencyRecord, overwrite } from '#core/audit';
import { DomainError, isConflict } from '#core/kernel';
import { readClassificationContent } from './classificationContent.ts';
import {
  type Classified,
  commitNext,
  findClassification,
  restClassification,
  type TaxAsk,
} from './classifySubject.ts';
import { dayOf } from './days.ts';
import { evidenceOf } from './formFacts.ts';
import { holderKey } from './holder.ts';
import type { TaxPorts } from './ports.ts';
import { type TaxClassification, taxClassificationTable } from './tables.ts';
import type { ClassificationInputs, Evidence, IndividualSubject } from './taxSubject.ts';

/** What a person lays before the institution. */
export interface CureIndicium extends TaxAsk {
  readonly classificationId: string;
  readonly indicium: string;
  readonly country: string;
  readonly documents: readonly Evidence[];
  readonly explanation?: string;
  readonly selfCertification?: NonNullable<IndividualSubject['self_certification']>;
}

/** Throws `classification-unknown`, `classification-invalid`, `state-conflict`, `state-altered`. */
export function cureIndicium(
  ports: TaxPorts,
  ask: CureIndicium,
  idempotency?: (classified: Classified) => IdempotencyRecord,
): Promise<Classified> {
  return overwrite(async () => {
    const before = await findClassification(ports, ask);
    requireInForce(before);
    const { inputs, notes, result } = await readClassificationContent(ports, before);
    const { subject } = inputs;
    const isOpen = result.indicia.some(
      ({ code, country, state }) =>
        code === ask.indicium && country === ask.country && state !== 'cured',
    );
    if (subject.kind !== 'individual' || !isOpen) {
      throw invalid('/indicium', 'expected an indicium of the classification that is not cured');
    }
    requireNoForm(inputs, ask.documents);
    const isExplained = ask.documents.includes('reasonable_explanation');
    if (isExplained && ask.explanation === undefined) {
      throw invalid('/explanation', 'expected the words of the explanation that is named');
    }
    const evidence = [...new Set([...(subject.evidence ?? []), ...ask.documents])];
    const note = {
      by: ask.actor,
      country: ask.country,
      indicium: ask.indicium,
      on: dayOf(ports.clock.now()),
      ...(ask.explanation !== undefined && { explanation: ask.explanation }),
    };
    const { selfCertification } = ask;
    const next: IndividualSubject = {
      ...subject,
      evidence,
      ...(selfCertification !== undefined && { self_certification: selfCertification }),
    };
    return commitNext(
      ports,
      { ...ask, subjectRef: before.subjectRef },
      { before, idempotency, inputs: { ...inputs, subject: next }, notes: [...notes, note] },
    );
  });
}

/** Once a form of a kind is on file it decides, and a later one is handed in as a form. */
function requireNoForm({ forms = [] }: ClassificationInputs, documents: readonly Evidence[]): void {
  const isLapsed = forms.some(({ state, type }) => {
    const kind = evidenceOf(type);
    return state !== 'standing' && kind !== undefined && documents.includes(kind);
  });
  if (!isLapsed) return;
  throw invalid('/documents', 'expected the new form by POST /v1/tcr/forms: the former is over');
}

function requireInForce({ status }: TaxClassification): void {
  if (status !== 'superseded') return;
  const detail = 'a later classification of the holder is in force';
  throw new DomainError('state-conflict', { detail });
}

const invalid = (pointer: string, detail: string): DomainError =>
  new DomainError('classification-invalid', {
    violations: [{ code: 'classification-invalid', detail, pointer }],
  });

/** Classifications that one run of the job makes. */
const PER_RUN_MAX = 500;

/**
 * Holders whose time is over are classified by what is known. One that was altered keeps none of
 * the others: it is thrown for once they are done.
 */
export async function lapseCures(ports: TaxPorts): Promise<number> {
  const { records } = await ports.tables.page(taxClassificationTable, {
    equal: { isAwaiting: true },
    index: 'due',
    limit: PER_RUN_MAX,
    to: ports.clock.now(),
  });
  const faults: unknown[] = [];
  for (const record of records) {
    try {
      await lapseOne(ports, record);
    } catch (error) {
      if (!isConflict(error)) faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return records.length;
}

async function lapseOne(ports: TaxPorts, found: TaxClassification): Promise<void> {
  const before = await ports.signed.require(found);
  // Somebody was first.
  if (before.status === 'superseded') return;
  const ask = { actor: 'system:tax', subjectRef: before.subjectRef, tenantId: before.tenantId };
  // A holder who was erased has no key any more: nothing is decided, and nothing stays due.
  if ((await ports.dataKeys.find(holderKey(before))) === undefined) {
    return restClassification(ports, ask as TaxAsk, before);
  }
  const { inputs, notes } = await readClassificationContent(ports, before);
  await commitNext(ports, ask as TaxAsk & typeof ask, { before, inputs, notes });
}
