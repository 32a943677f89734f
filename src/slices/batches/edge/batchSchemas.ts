/** The order of a batch (interface.md 2.3 and 4.2): from JSON or from the fields of a form. */
import { type Static, type TSchema, Type } from 'typebox';
import { DomainError, type Violation } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  BATCH_MODES,
  BATCH_NAME_CHARS_MAX,
  type BatchMode,
  type CohortFilter,
  type KnownWords,
  parseCohortQuery,
  RISK_TIERS_MAX,
} from '#slices/batches';
import { hasUnreadable, SUBJECT_ATTRIBUTES, SUBJECT_TRANSLITERATIONS_MAX } from '#slices/intake';
import { QUERY_YEARS } from '#slices/screening';
import { Instant } from '../../../api/instants.ts';
import { compileSchema } from '../../../api/validate.ts';
import { ListCodes } from '../../screening/schemas.ts';

/** Line breaks and tabs: fine in a customer's name, not in a line of a table. */
const LINE_BREAK = /[\t\n\r]/;

const oneOf = (values: readonly string[], options = {}) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  );

/** All of a batch but its subjects. */
const ORDER = {
  name: Type.String({
    description: 'A label; batches of one name follow each other',
    maxLength: BATCH_NAME_CHARS_MAX,
    minLength: 1,
  }),
  mode: Type.Optional(
    oneOf(BATCH_MODES, {
      default: 'full',
      description:
        'full: everybody against all of the lists; delta: against what was added or changed ' +
        'since `since`, else since the last completed batch of this name; listsdelta: against ' +
        'what was added since that batch, `subjects` being its own where there are none; ' +
        'newlist: against the lists that it did not have',
    }),
  ),
  lists: Type.Optional(ListCodes),
  include_pep: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether hits of type pep are sought' }),
  ),
  include_adverse_media: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether hits of type adverse_media are sought' }),
  ),
  since: Type.Optional(Instant('Of mode delta, RFC 3339 UTC')),
  monitor: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether the subjects are customers from then on, who are screened with every list that ' +
        'changes (`GET /v1/sanctions/monitored-subjects`), once the batch is completed. Roles ' +
        'that keep the register of customers may ask for it',
    }),
  ),
};

const SUBJECT_TEXTS: Readonly<Record<string, string>> = {
  country_residence: 'ISO 3166-1 alpha-2',
  dob: `YYYY-MM-DD, YYYY-MM or YYYY; years ${QUERY_YEARS}`,
  dob_range: `YYYY-MM:YYYY-MM; years ${QUERY_YEARS}`,
  external_id: 'Your own id, at most 128 characters; each once in a batch',
  full_name: 'In any script',
  full_name_ar: 'In Arabic script',
  nationality: 'ISO 3166-1 alpha-2',
  type: 'individual or business',
};

/** The domain checks it by its own rules, the same as for a CSV. */
const BatchSubject = Type.Object(
  {
    ...Object.fromEntries(
      SUBJECT_ATTRIBUTES.map((name) => {
        const description = SUBJECT_TEXTS[name];
        const text = Type.String(description === undefined ? {} : { description });
        const isRequired = name === 'external_id' || name === 'full_name';
        return [name, isRequired ? text : Type.Optional(text)];
      }),
    ),
    full_name_transliterations: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Further spellings of the name',
        maxItems: SUBJECT_TRANSLITERATIONS_MAX,
      }),
    ),
  },
  { additionalProperties: false },
);

const Source = Type.Object(
  {
    type: Type.Literal('query'),
    filter: Type.Object(
      {
        'kyc_case.status': Type.Optional(Type.String({ description: 'A state of cases' })),
        'kyc_case.risk_tier': Type.Optional(
          Type.Array(Type.String({ description: 'A tier of cases' }), {
            maxItems: RISK_TIERS_MAX,
            minItems: 1,
          }),
        ),
        'subject.country_residence': Type.Optional(
          Type.String({ description: 'ISO 3166-1 alpha-2' }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, description: 'Instead of `subjects`: those of stored cases' },
);

export const CreateBatchBody: TSchema = Type.Object(
  { ...ORDER, subjects: Type.Optional(Type.Array(BatchSubject)), source: Type.Optional(Source) },
  { additionalProperties: false },
);

export const CreateBatchForm: TSchema = Type.Object(
  {
    ...ORDER,
    lists: Type.Optional(
      Type.String({ description: 'List codes, separated by commas', examples: ['OFAC,UN'] }),
    ),
    file: Type.String({
      contentMediaType: 'text/csv',
      description:
        'UTF-8 with a header row, separated by commas; as it is or gzip. Columns: ' +
        SUBJECT_ATTRIBUTES.join(', '),
    }),
  },
  { additionalProperties: false },
);

/** In any order, beside the file. */
export const FORM_FIELDS: readonly string[] = Object.keys(ORDER);

/** `subjects` comes here only where it is no array. */
const Members = Type.Object(
  {
    ...ORDER,
    subjects: Type.Optional(Type.Array(Type.Unknown())),
    source: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);
const validateMembers = compileSchema(Members);

/** The order of a caller, beside the subjects. */
export interface ParsedOrder {
  readonly name: string;
  readonly mode: BatchMode;
  readonly lists: readonly string[];
  readonly includePep: boolean;
  readonly includeAdverseMedia: boolean;
  readonly since?: EpochMs;
  readonly monitor?: true;
}

type Parsed = { readonly order?: ParsedOrder; readonly violations: readonly Violation[] };

function parseOrder(members: Readonly<Record<string, unknown>>, now: EpochMs): Parsed {
  const violations = [...validateMembers(members)];
  if (violations.length > 0) return { violations };
  const given = members as Static<typeof Members>;
  const mode = (given.mode ?? 'full') as BatchMode;
  const since = given.since === undefined ? undefined : Date.parse(given.since);
  const name = given.name.trim();
  if (name === '' || hasUnreadable(name) || LINE_BREAK.test(name)) {
    const detail = 'expected letters, and no control characters';
    violations.push({ code: 'format', detail, pointer: '/name' });
  }
  if (since !== undefined && !(since <= now)) {
    const detail = 'expected an instant that has passed';
    violations.push({ code: 'range', detail, pointer: '/since' });
  }
  if (since !== undefined && mode !== 'delta') {
    const detail = 'expected with mode delta alone';
    violations.push({ code: 'format', detail, pointer: '/since' });
  }
  if (violations.length > 0) return { violations };
  const order = {
    includeAdverseMedia: given.include_adverse_media ?? true,
    includePep: given.include_pep ?? true,
    lists: given.lists ?? [],
    mode,
    name,
    ...(since !== undefined && { since: since as EpochMs }),
    ...(given.monitor === true && { monitor: true as const }),
  };
  return { order, violations };
}

/** The fields of a form as members: lists are split, flags become booleans. */
export function parseOrderForm(fields: ReadonlyMap<string, string>, now: EpochMs): Parsed {
  const members: Record<string, unknown> = {};
  for (const [name, text] of fields) {
    if (name === 'lists') members.lists = text.split(',').map((code) => code.trim());
    else if (text === 'true' || text === 'false') members[name] = text === 'true';
    else members[name] = text;
  }
  return parseOrder(members, now);
}

export interface ParsedBody {
  readonly order: ParsedOrder;
  /** Instead of subjects. */
  readonly query?: { readonly filter: CohortFilter; readonly given: Record<string, unknown> };
}

/** Throws `body-invalid` with every violation. */
export function parseBatchBody(
  found: {
    readonly members: ReadonlyMap<string, unknown>;
    readonly hasSubjects: boolean;
    readonly rows: number;
  },
  { now, ...known }: KnownWords & { readonly now: EpochMs },
): ParsedBody {
  const { order, violations } = parseOrder(Object.fromEntries(found.members), now);
  const source = found.members.get('source');
  const all = [...violations, ...cohortViolations(found, order?.mode)];
  if (order === undefined || all.length > 0) throw bodyInvalid(all);
  if (source === undefined) return { order };
  const filter = parseCohortQuery(source, known);
  return { order, query: { filter, given: (source as Static<typeof Source>).filter } };
}

function cohortViolations(
  { hasSubjects, members, rows }: Parameters<typeof parseBatchBody>[0],
  mode: BatchMode | undefined,
): Violation[] {
  const hasSource = members.has('source');
  if (hasSubjects && hasSource) {
    const detail = 'expected subjects or source, not both';
    return [{ code: 'format', detail, pointer: '/source' }];
  }
  if (hasSubjects && rows === 0) {
    return [{ code: 'range', detail: 'expected at least 1 subject', pointer: '/subjects' }];
  }
  if (hasSubjects || hasSource || members.has('subjects') || mode === 'listsdelta') return [];
  return [{ code: 'missing', detail: 'expected subjects or source', pointer: '/subjects' }];
}

export const bodyInvalid = (violations: readonly Violation[]): DomainError =>
  new DomainError('body-invalid', {
    detail: violations.map((one) => one.detail).join('; '),
    violations,
  });
