/** The fields of block 4 of an MT103, by one table: what each writes into the draft. */
import type { FinField } from './finMessages.ts';
import { sixDigitDate } from './instants.ts';
import { type ReadField, readAgent, readParty } from './mt103Parties.ts';
import type { Draft } from './pathTree.ts';

/** Why a message is refused. */
export interface FieldFault {
  readonly tag: string;
  readonly code: string;
  readonly detail: string;
  readonly line: number;
}

/** Reads one field into the draft; throws a FieldRefusal. */
type ReadInto = (field: FinField, draft: MtDraft) => void;

interface MtDraft extends Draft {
  quality: string[];
  references: Record<string, string>;
  instructions: string[];
  remittance: string[];
  regulatory: string[];
  charges: { bearer?: string; items?: unknown[] };
}

class FieldRefusal extends Error {
  override readonly name = 'FieldRefusal';
  readonly fault: FieldFault;

  constructor({ tag }: FinField, code: string, detail: string, line: number) {
    super(detail);
    this.fault = { code, detail, line, tag };
  }
}

/** The draft, or the first field that is wrong. */
export function readMtFields(
  fields: readonly FinField[],
): { readonly draft: Draft } | { readonly fault: FieldFault } {
  const draft: MtDraft = {
    charges: {},
    instructions: [],
    quality: [],
    references: {},
    regulatory: [],
    remittance: [],
  };
  try {
    const seen = new Set<string>();
    for (const field of fields) {
      const read = FIELDS[field.tag];
      requireOnce(field, seen);
      if (read === undefined) draft.quality.push(`field-kept-raw:${field.tag}`);
      else read(field, draft);
    }
  } catch (error) {
    if (error instanceof FieldRefusal) return { fault: error.fault };
    throw error;
  }
  const { time, time_rank: _rank, ...rest } = draft;
  const sent = time === undefined ? {} : { sent: `${draft.value_date}${time}` };
  return { draft: withoutEmpty({ ...rest, ...sent }) };
}

/** Refuses a field that came before: of 50A, 50F and 50K one may stand, and that once. */
function requireOnce(field: FinField, seen: Set<string>): void {
  if (REPEATED.has(field.tag)) return;
  const key = /^5\d/.test(field.tag) ? field.tag.slice(0, 2) : field.tag;
  if (seen.has(key))
    throw new FieldRefusal(field, 'occurs', 'expected this field once', field.line);
  seen.add(key);
}

const withoutEmpty = (draft: Draft): Draft =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([, value]) => typeof value !== 'object' || value === null || Object.keys(value).length > 0,
    ),
  );

/** Fields that may stand several times. */
const REPEATED: ReadonlySet<string> = new Set(['13C', '23E', '71F']);
const AMOUNT = /^([A-Z]{3})(\d{1,14}),(\d{0,5})$/;
const VALUE = /^(\d{6})(.*)$/;
const RATE = /^(\d{1,11}),(\d{0,10})$/;
const TIME = /^\/([A-Z]+)\/(\d{2})(\d{2})([+-])(\d{2})(\d{2})$/;
/** Codes of 13C that say when the money moved, the better first. */
const SENT_CODES: readonly string[] = ['SNDTIME', 'RNCTIME'];
const BEARERS: Readonly<Record<string, string>> = { BEN: 'CRED', OUR: 'DEBT', SHA: 'SHAR' };
/** Characters of a line that is full: its text goes on in the next one without a blank. */
const FULL_LINE = 35;
const CODED = /^\/(RFB|ROC|INV|IPI|TSU)\/{1,2}([^/].*)$/;
const REPORTED = /^\/(ORDERRES|BENEFRES)\/([A-Z]{2})/;

const reference =
  (name: string): ReadInto =>
  (field, draft) => {
    draft.references[name] = textOf(field);
  };

const party =
  (role: 'debtor' | 'creditor'): ReadInto =>
  (field, draft) => {
    draft[role] = { ...(draft[role] as object), ...taken(readParty(field), field, draft) };
  };

const agent =
  (role: string): ReadInto =>
  (field, draft) => {
    draft[role] = taken(readAgent(field), field, draft);
  };

const listed =
  (list: 'intermediaries' | 'reimbursement'): ReadInto =>
  (field, draft) => {
    const known = (draft[list] ?? []) as readonly unknown[];
    draft[list] = [...known, taken(readAgent(field), field, draft)];
  };

/** Every tag that is read; what is not here is named in `quality` and stays in the raw message. */
export const FIELDS: Readonly<Record<string, ReadInto | undefined>> = {
  '13C': readTime,
  '20': (field, draft) => {
    draft.references.sender_reference = textOf(field);
    draft.instruction_id = textOf(field);
  },
  '23B': reference('service'),
  '23E': (field, draft) => {
    draft.instructions.push(textOf(field));
  },
  '26T': reference('transaction_type'),
  '32A': readSettled,
  '33B': (field, draft) => {
    draft.instructed = moneyOf(field, textOf(field));
  },
  '36': readRate,
  '50A': party('debtor'),
  '50F': party('debtor'),
  '50K': party('debtor'),
  '51A': agent('instructing_agent'),
  ...options('52', 'AD', agent('debtor_agent')),
  ...options('53', 'ABD', listed('reimbursement')),
  ...options('54', 'ABD', listed('reimbursement')),
  ...options('55', 'ABD', listed('reimbursement')),
  ...options('56', 'ACD', listed('intermediaries')),
  ...options('57', 'ABCD', agent('creditor_agent')),
  '59': party('creditor'),
  '59A': party('creditor'),
  '59F': party('creditor'),
  '70': readRemittance,
  '71A': readBearer,
  '71F': addCharge,
  '71G': addCharge,
  '72': readInstructions,
  '77B': readRegulatory,
};

function options(tag: string, letters: string, read: ReadInto): Record<string, ReadInto> {
  return Object.fromEntries([...letters].map((letter) => [`${tag}${letter}`, read]));
}

const textOf = ({ lines }: FinField): string => lines.join(' ').trim();

function taken<Value>(read: ReadField<Value>, field: FinField, draft: MtDraft): Value {
  if ('value' in read) {
    draft.quality.push(...(read.quality ?? []));
    return read.value;
  }
  throw new FieldRefusal(field, 'format', read.detail, read.line);
}

function moneyOf(field: FinField, text: string): { amount: string; currency: string } {
  const [, currency, whole, fraction] = AMOUNT.exec(text) ?? [];
  if (currency === undefined) {
    throw new FieldRefusal(
      field,
      'format',
      'expected a currency and an amount with a comma',
      field.line,
    );
  }
  return { amount: fraction ? `${whole}.${fraction}` : (whole ?? ''), currency };
}

function readSettled(field: FinField, draft: MtDraft): void {
  const [, day = '', rest = ''] = VALUE.exec(textOf(field)) ?? [];
  const date = sixDigitDate(day);
  if (date === undefined)
    throw new FieldRefusal(field, 'format', 'expected a date, YYMMDD', field.line);
  draft.value_date = date;
  Object.assign(draft, moneyOf(field, rest));
}

function readRate(field: FinField, draft: MtDraft): void {
  const [, whole, fraction] = RATE.exec(textOf(field)) ?? [];
  if (whole === undefined)
    throw new FieldRefusal(field, 'format', 'expected a rate with a comma', field.line);
  draft.exchange_rate = fraction ? `${whole}.${fraction}` : whole;
}

/** 13C gives the time of day; the day is that of 32A, which may follow. */
function readTime(field: FinField, draft: MtDraft): void {
  const [matched, code = '', hour, minute, sign, hours, minutes] = TIME.exec(textOf(field)) ?? [];
  if (matched === undefined)
    throw new FieldRefusal(field, 'format', 'expected /CODE/hhmm±hhmm', field.line);
  draft.instructions.push(matched);
  const rank = SENT_CODES.indexOf(code);
  const best = (draft.time_rank ?? SENT_CODES.length) as number;
  if (rank < 0 || rank >= best) return;
  draft.time_rank = rank;
  draft.time = `T${hour}:${minute}:00${sign}${hours}:${minutes}`;
}

function readBearer(field: FinField, draft: MtDraft): void {
  const bearer = BEARERS[textOf(field)];
  if (bearer === undefined)
    throw new FieldRefusal(field, 'format', 'expected OUR, SHA or BEN', field.line);
  draft.charges.bearer = bearer;
}

function addCharge(field: FinField, draft: MtDraft): void {
  draft.charges.items = [...(draft.charges.items ?? []), moneyOf(field, textOf(field))];
}

/** Lines that are full go on without a blank; references with a code are kept apart. */
function readRemittance({ lines }: FinField, draft: MtDraft): void {
  const joined: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const isContinued = isOpen && !CODED.test(line);
    const text = line.startsWith('//') ? line.slice(2) : line;
    if (isContinued) joined[joined.length - 1] += text;
    else joined.push(text);
    isOpen = line.length === FULL_LINE;
  }
  for (const text of joined) {
    const [, code, value = ''] = CODED.exec(text) ?? [];
    if (code === 'ROC') draft.end_to_end_id ??= value.trim();
    if (text.trim() !== '') draft.remittance.push(text.trim());
  }
}

/** `//` goes on with the instruction before. */
function readInstructions({ lines }: FinField, draft: MtDraft): void {
  const joined: string[] = [];
  for (const line of lines) {
    if (line.startsWith('//') && joined.length > 0)
      joined[joined.length - 1] += ` ${line.slice(2)}`;
    else if (line.trim() !== '') joined.push(line.trim());
  }
  draft.instructions.push(...joined);
}

function readRegulatory({ lines }: FinField, draft: MtDraft): void {
  for (const line of lines) {
    if (line.trim() !== '') draft.regulatory.push(line.trim());
    const [, code, country] = REPORTED.exec(line) ?? [];
    if (country === undefined) continue;
    const role = code === 'ORDERRES' ? 'debtor' : 'creditor';
    draft[role] = { ...(draft[role] as object), country_of_residence: country };
  }
}
