/**
 * What a document says against what was said of the person. A check passes only where both are
 * there and agree; where one is missing or in doubt a person looks. Digits that hold prove no name
 * and no date: these are compared besides.
 */
import type { CompareNames } from './asks.ts';
import {
  countryComparison,
  dateComparison,
  type FieldComparison,
  nameComparison,
  numberComparison,
} from './compareFields.ts';
import type { FieldName, ReadField, SaidOfPerson } from './documentFields.ts';
import type { MrzReading } from './readMrz.ts';

/** What is asked. */
export interface CompareAsk {
  readonly read: {
    readonly status: 'read' | 'unreadable' | 'unavailable' | 'failed';
    readonly fields: readonly ReadField[];
    readonly mrz?: MrzReading;
  };
  readonly said: SaidOfPerson;
  /** YYYY-MM-DD */
  readonly today: string;
  readonly minAge?: number;
  /** Fields that are less sure are looked at by a person. */
  readonly confidenceMin?: number;
}

/** Checks that documents give. */
export const DOCUMENT_CHECKS = [
  'document_readable',
  'document_authentic_digits',
  'document_not_expired',
  'name_match',
  'dob_match',
  'document_number_match',
  'nationality_match',
  'age',
] as const;

/** One check. */
export interface DocumentCheck {
  readonly type: (typeof DOCUMENT_CHECKS)[number];
  readonly status: 'pass' | 'review' | 'fail' | 'unavailable';
  readonly reason_codes: readonly string[];
}

/** What a comparison gives. */
export interface DocumentComparison {
  readonly comparisons: readonly FieldComparison[];
  readonly checks: readonly DocumentCheck[];
}

const CONFIDENCE_MIN = 0.8;
const AGE_MIN = 18;

/** Never throws for what is in a document. */
export async function compareDocument(
  ask: CompareAsk,
  compareNames: CompareNames,
): Promise<DocumentComparison> {
  const { confidenceMin = CONFIDENCE_MIN, minAge = AGE_MIN, read, said, today } = ask;
  const fieldOf = (name: FieldName): ReadField | undefined =>
    read.fields.find((field) => field.name === name);
  const rows: readonly Row[] = [
    ['name_match', await nameComparison(read, said, compareNames), fieldOf('full_name')],
    ['dob_match', dateComparison(fieldOf('dob')?.value, said.dob), fieldOf('dob')],
    [
      'document_number_match',
      numberComparison(fieldOf('document_number')?.value, read.mrz, said),
      fieldOf('document_number'),
    ],
    [
      'nationality_match',
      countryComparison(fieldOf('nationality')?.value, said.nationality),
      fieldOf('nationality'),
    ],
  ];
  return {
    checks: [
      readableCheck(ask),
      digitsCheck(ask),
      expiryCheck(fieldOf('expires_on'), { confidenceMin, isRead: read.status === 'read', today }),
      ...rows.map((row) => matchCheck(row, { confidenceMin, isRead: read.status === 'read' })),
      ageCheck(fieldOf('dob'), { confidenceMin, isRead: read.status === 'read', minAge, today }),
    ],
    comparisons: rows.map(([, comparison]) => comparison),
  };
}

type Row = readonly [DocumentCheck['type'], FieldComparison, ReadField | undefined];

const check = (
  type: DocumentCheck['type'],
  status: DocumentCheck['status'],
  ...reason_codes: string[]
): DocumentCheck => ({ reason_codes, status, type });

function readableCheck({ read }: CompareAsk): DocumentCheck {
  if (read.status === 'read') return check('document_readable', 'pass');
  if (read.status === 'unreadable') return check('document_readable', 'fail', 'unreadable');
  return check('document_readable', 'unavailable', `recognition-${read.status}`);
}

/** A zone that its holder's app sent says nothing of the document. */
function digitsCheck({ read }: CompareAsk): DocumentCheck {
  const type = 'document_authentic_digits';
  const { fields, mrz, status } = read;
  if (status !== 'read') return check(type, 'unavailable', `recognition-${status}`);
  if (mrz === undefined) return check(type, 'unavailable', 'mrz-absent');
  if (!mrz.isValid) return check(type, 'review', 'mrz-digits');
  if (fields.some(({ source }) => source === 'client'))
    return check(type, 'review', 'mrz-of-client');
  return mrz.repaired.length > 0 ? check(type, 'review', 'mrz-repaired') : check(type, 'pass');
}

interface Bounds {
  readonly confidenceMin: number;
  readonly isRead: boolean;
}

/** Why a field is not good enough to be judged by a machine; undefined where it is. */
function doubtOf(
  type: DocumentCheck['type'],
  field: ReadField | undefined,
  { confidenceMin, isRead }: Bounds,
): DocumentCheck | undefined {
  if (!isRead) return check(type, 'unavailable', 'not-read');
  if (field === undefined) return check(type, 'unavailable', 'field-absent');
  if (field.source === 'client') return check(type, 'review', 'field-of-client');
  return field.confidence < confidenceMin ? check(type, 'review', 'low-confidence') : undefined;
}

function matchCheck([type, { result }, field]: Row, bounds: Bounds): DocumentCheck {
  const doubt = doubtOf(type, field, bounds);
  if (doubt?.status === 'unavailable') return doubt;
  if (result === 'absent') return check(type, 'unavailable', 'value-absent');
  if (result === 'mismatch') return check(type, doubt ? 'review' : 'fail', 'mismatch');
  if (result === 'partial') return check(type, 'review', 'partial');
  return doubt ?? check(type, 'pass');
}

function expiryCheck(
  field: ReadField | undefined,
  bounds: Bounds & { readonly today: string },
): DocumentCheck {
  const type = 'document_not_expired';
  const doubt = doubtOf(type, field, bounds);
  if (field === undefined || doubt?.status === 'unavailable') {
    return doubt ?? check(type, 'unavailable', 'field-absent');
  }
  const isOver = field.value < bounds.today.slice(0, field.value.length);
  if (isOver) return check(type, doubt ? 'review' : 'fail', 'expired');
  return doubt ?? check(type, 'pass');
}

function ageCheck(
  field: ReadField | undefined,
  bounds: Bounds & { readonly minAge: number; readonly today: string },
): DocumentCheck {
  const doubt = doubtOf('age', field, bounds);
  if (field === undefined || doubt?.status === 'unavailable') {
    return doubt ?? check('age', 'unavailable', 'field-absent');
  }
  const { minAge, today } = bounds;
  const year = String(Number(today.slice(0, 4)) - minAge).padStart(4, '0');
  const bornBy = `${year}${today.slice(4)}`;
  // A date without its day may be any of its days.
  const isOld =
    field.value.length === bornBy.length
      ? field.value <= bornBy
      : field.value < bornBy.slice(0, field.value.length);
  const isYoung = field.value > bornBy.slice(0, field.value.length);
  if (isOld) return doubt ?? check('age', 'pass');
  return check('age', isYoung && doubt === undefined ? 'fail' : 'review', 'under-age');
}
