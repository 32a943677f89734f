/** What a report must say before it is validated (interface.md 2.6), and what no XML carries. */
import { DomainError, type Violation } from '#core/kernel';
import { partiesOf, partyPointer, type ReportContent, SUBJECT_ID } from './content.ts';
import { FAULTS_MAX, NARRATIVE_CHARS_MAX, NARRATIVE_CHARS_MIN } from './limits.ts';
import type { ReportFault } from './reportWriter.ts';

type Fault = ReportFault | Violation;

/** All that is missing; empty where a data protection officer can look at it. */
export function contentFaults(content: ReportContent): readonly Fault[] {
  const ids = new Set(partiesOf(content).map(({ id }) => id));
  return [
    ...narrativeFaults(content),
    ...missing(content.destination === '', '/destination', 'the authority that it goes to'),
    ...missing(content.subject === undefined, '/subject', 'who is reported'),
    ...missing(content.transactions.length === 0, '/transactions', 'at least one transaction'),
    ...missing(content.counterparties.length === 0, '/counterparties', 'at least one counterparty'),
    ...partiesOf(content).flatMap((party) => {
      const at = partyPointer(content, party.id);
      const isNamed =
        party.name !== undefined || (party.kind === 'person' && party.last_name !== undefined);
      return missing(!isNamed, `${at}/name`, 'a name');
    }),
    ...repeatedIds(content),
    ...content.transactions.flatMap((one, place) => {
      const at = `/transactions/${place}`;
      return [
        ...missing(one.country === undefined, `${at}/country`, 'the country of the counterparty'),
        ...unknownParty(ids, one.counterparty, `${at}/counterparty`),
        ...unknownParty(ids, one.party ?? SUBJECT_ID, `${at}/party`),
        ...unknownParty(ids, one.conductor, `${at}/conductor`),
      ];
    }),
  ];
}

function narrativeFaults({ narrative = '' }: ReportContent): readonly Fault[] {
  const length = [...narrative].length;
  const range = `${NARRATIVE_CHARS_MIN} to ${NARRATIVE_CHARS_MAX}`;
  const detail = `expected ${range} characters, got ${length}`;
  if (length < NARRATIVE_CHARS_MIN) return [{ code: 'too-short', detail, pointer: '/narrative' }];
  return length <= NARRATIVE_CHARS_MAX ? [] : [{ code: 'too-long', detail, pointer: '/narrative' }];
}

const missing = (isMissing: boolean, pointer: string, what: string): readonly Fault[] =>
  isMissing ? [{ code: 'missing', detail: `expected ${what}`, pointer }] : [];

const unknownParty = (
  ids: ReadonlySet<string>,
  id: string | undefined,
  pointer: string,
): readonly Fault[] =>
  id === undefined || ids.has(id)
    ? []
    : [{ code: 'unknown', detail: 'expected the id of the subject or a counterparty', pointer }];

function repeatedIds(content: ReportContent): readonly Fault[] {
  const named = content.counterparties.map(({ id }) => id);
  const parties = named.flatMap((id, place) =>
    id === SUBJECT_ID || named.indexOf(id) < place ? [`/counterparties/${place}/id`] : [],
  );
  const numbers = content.transactions.map(({ id }) => id);
  const transactions = numbers.flatMap((id, place) =>
    numbers.indexOf(id) < place ? [`/transactions/${place}/id`] : [],
  );
  return [...parties, ...transactions].map((pointer) => ({
    code: 'repeated',
    detail: 'expected an id that no other has',
    pointer,
  }));
}

/** XML 1.0, production 2, leaves these out; lone surrogates are refused with the body. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** Throws `str-content-invalid` with the place of each text that no XML can carry. */
export function refuseUnwritable(given: unknown): void {
  const pointers: string[] = [];
  const walk = (value: unknown, at: string): void => {
    if (typeof value === 'string') {
      if (NO_XML.test(value) || !value.isWellFormed()) pointers.push(at);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) walk(inner, `${at}/${name}`);
    }
  };
  walk(given, '');
  if (pointers.length === 0) return;
  const detail = 'expected characters that XML 1.0 has';
  throw new DomainError('str-content-invalid', {
    detail: `${pointers[0]}: ${detail}`,
    violations: pointers
      .slice(0, FAULTS_MAX)
      .map((pointer) => ({ code: 'format', detail, pointer })),
  });
}

/** Throws `str-incomplete` with all of them, where there are any. */
export function refuseIncomplete(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const [first] = faults;
  throw new DomainError('str-incomplete', {
    detail: `${faults.length} faults; the first: ${first?.pointer}: ${first?.detail}`,
    violations: faults.slice(0, FAULTS_MAX),
  });
}
