/**
 * What a holder is for FATCA and for CRS, with all that was looked at. Pure: the same inputs on the
 * same day by the same tables give the same bytes (RFC 8785).
 */
import {
  type Awaited,
  type CrsOutcome,
  type FatcaOutcome,
  FIGURES,
  TABLE_VERSION,
  TABLES,
} from './classificationTables.ts';
import { daysAfter } from './days.ts';
import { type Decision, decide, type TraceStep } from './decisionTable.ts';
import {
  type EntityAsk,
  entityCrsFacts,
  entityFatcaFacts,
  lacksGiin,
  reportablePersons,
  usOwners,
} from './entityFacts.ts';
import { entityForCrs, entityForFatca, formDueOf, individualWith } from './formFacts.ts';
import { type Indicium, indiciaOf } from './indicia.ts';
import {
  crsFacts,
  fatcaFacts,
  type IndividualAsk,
  jurisdictionsBy,
  reportable,
} from './individualFacts.ts';
import type { ClassificationInputs, EntitySubject, IndividualSubject } from './taxSubject.ts';

/** States that an outcome can leave a classification in. */
export type OutcomeStatus = 'final' | 'pending_cure' | 'pending_documents';

/** A classification as it is shown and signed. */
export interface ClassificationResult {
  readonly table_version: string;
  readonly status: OutcomeStatus;
  /** Until when cures and documents are awaited; null where nothing is. */
  readonly cure_due: string | null;
  readonly fatca: {
    readonly status: string;
    readonly holder_type: string | null;
    readonly pool_type: string | null;
    readonly reportable: boolean;
    /** `person_ref` of those who are reported with the entity. */
    readonly owners: readonly string[];
  };
  readonly crs: {
    readonly status: string;
    readonly holder_type: string | null;
    readonly reportable_jurisdictions: readonly string[];
    readonly undocumented: boolean;
    readonly persons: readonly string[];
  };
  readonly indicia: readonly Indicium[];
  readonly documents_required: readonly string[];
  readonly trace: readonly TraceStep[];
}

/** The last day of cures and documents. */
export const dueOf = ({ begun_on }: Pick<ClassificationInputs, 'begun_on'>): string =>
  daysAfter(begun_on, FIGURES.cureDays);

/** `on` is the day of the look, not before `begun_on`. */
export function classify(inputs: ClassificationInputs, on: string): ClassificationResult {
  const { subject } = inputs;
  return subject.kind === 'individual'
    ? classifyIndividual(individualWith(subject, inputs), inputs, on)
    : classifyEntity(subject, inputs);
}

function classifyIndividual(
  subject: IndividualSubject,
  inputs: ClassificationInputs,
  on: string,
): ClassificationResult {
  const due = dueOf(inputs);
  const indicia = indiciaOf(subject, inputs, { due, on });
  const ask: IndividualAsk = { indicia, inputs, isOverdue: on >= due, subject };
  const fatca = decide(TABLES.individualFatca, fatcaFacts(ask));
  const crs = decide(TABLES.individualCrs, crsFacts(ask));
  const { by } = crs.outcome;
  const isUndocumented = crs.outcome.status === 'UNDOCUMENTED';
  return {
    ...stateOf(fatca, crs, inputs, on >= due),
    crs: {
      holder_type: null,
      persons: [],
      reportable_jurisdictions: by === undefined ? [] : jurisdictionsBy(by, ask),
      status: crs.outcome.status,
      undocumented: isUndocumented,
    },
    documents_required: documentsOf(fatca, crs, indicia),
    fatca: fatcaPart(fatca.outcome, []),
    indicia,
    table_version: TABLE_VERSION,
    trace: [...fatca.trace, ...crs.trace],
  };
}

function classifyEntity(
  subject: EntitySubject,
  inputs: ClassificationInputs,
): ClassificationResult {
  const ask: EntityAsk = { inputs, subject: entityForFatca(subject, inputs) };
  const crsAsk: EntityAsk = { inputs, subject: entityForCrs(subject, inputs) };
  const fatca = decide(TABLES.entityFatca, entityFatcaFacts(ask));
  const crs = decide(TABLES.entityCrs, entityCrsFacts(crsAsk));
  const { holder, persons, status } = crs.outcome;
  const isWithOwners = ['FATCA101', 'FATCA102'].includes(fatca.outcome.reports ?? '');
  const reported = persons ? reportablePersons(crsAsk) : [];
  const own = holder === undefined ? [] : reportable(crsAsk.subject.residences, inputs);
  const theirs = reported.flatMap(({ residences }) => reportable(residences, inputs));
  const giin = lacksGiin(ask) ? ['giin'] : [];
  return {
    ...stateOf(fatca, crs, inputs, false),
    crs: {
      holder_type: holder ?? null,
      persons: reported.map(({ person_ref }) => person_ref),
      reportable_jurisdictions: [...new Set([...own, ...theirs])].sort(),
      status,
      undocumented: false,
    },
    documents_required: [...new Set([...documentsOf(fatca, crs, []), ...giin])],
    fatca: fatcaPart(
      fatca.outcome,
      isWithOwners ? usOwners(ask).map(({ person_ref }) => person_ref) : [],
    ),
    indicia: [],
    table_version: TABLE_VERSION,
    trace: [...fatca.trace, ...crs.trace],
  };
}

const fatcaPart = (
  { pool, reports, status }: FatcaOutcome,
  owners: readonly string[],
): ClassificationResult['fatca'] => ({
  holder_type: reports ?? null,
  owners,
  pool_type: pool ?? null,
  reportable: reports !== undefined || pool !== undefined,
  status,
});

/** `isOver`: so is the time for documents; what is overdue then, a person has to get. */
function stateOf(
  fatca: Decision<FatcaOutcome>,
  crs: Decision<CrsOutcome>,
  inputs: ClassificationInputs,
  isOver: boolean,
): Pick<ClassificationResult, 'cure_due' | 'status'> {
  const due = dueOf(inputs);
  const awaited: readonly (Awaited | undefined)[] = [fatca.outcome.awaits, crs.outcome.awaits];
  const cures = [
    ...(awaited.includes('cure') ? [due] : []),
    ...(fatca.outcome.awaits === 'form' ? [formDueOf(inputs, 'FATCA') ?? due] : []),
    ...(crs.outcome.awaits === 'form' ? [formDueOf(inputs, 'CRS') ?? due] : []),
  ];
  // The earliest of them: what is decided then looks at the others again.
  const first = cures.sort().at(0);
  if (first !== undefined) return { cure_due: first, status: 'pending_cure' };
  if (!awaited.includes('documents')) return { cure_due: null, status: 'final' };
  return { cure_due: isOver ? null : due, status: 'pending_documents' };
}

/** What would settle what is open. */
function documentsOf(
  fatca: Decision<FatcaOutcome>,
  crs: Decision<CrsOutcome>,
  indicia: readonly Indicium[],
): readonly string[] {
  const wanted = new Set<string>();
  if (isWanting(fatca.outcome.awaits)) wanted.add('w9_or_w8');
  if (isWanting(crs.outcome.awaits)) wanted.add('self_certification');
  if (crs.outcome.status === 'PAPER_SEARCH_REQUIRED') wanted.add('paper_search');
  for (const { code, regime, state } of indicia) {
    if (state !== 'open') continue;
    if (regime === 'CRS') wanted.add('self_certification');
    for (const group of FIGURES.cures[code] ?? []) wanted.add(group.join('_or_'));
  }
  return [...wanted];
}

const isWanting = (awaits: Awaited | undefined): boolean =>
  awaits === 'documents' || awaits === 'form';
