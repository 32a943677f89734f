/**
 * What each member of a canonical transaction may be. One description serves the check of JSON, the
 * gate behind every other format, and the API description.
 */
import {
  AGENT_LISTS,
  AGENT_ROLES,
  AGENTS_MAX,
  CHANNELS,
  CHARGE_BEARERS,
  DIRECTIONS,
  PARTY_ROLES,
  PARTY_TYPES,
  TRANSACTION_STATUSES,
} from './transaction.ts';

/** What a value may be. */
export type Shape =
  | { readonly kind: 'text'; readonly max: number }
  | { readonly kind: 'form'; readonly form: RegExp; readonly expected: string }
  | { readonly kind: 'word'; readonly words: ReadonlySet<string> }
  | { readonly kind: 'instant' }
  | { readonly kind: 'date' }
  | { readonly kind: 'country' }
  | { readonly kind: 'count'; readonly max: number }
  | { readonly kind: 'flag' }
  | { readonly kind: 'list'; readonly of: Shape; readonly max: number }
  | { readonly kind: 'record'; readonly max: number }
  | ObjectShape;

/** An object whose members are known. */
export interface ObjectShape {
  readonly kind: 'object';
  readonly members: Readonly<Record<string, Shape>>;
  readonly required: readonly string[];
}

/** Characters of an id of a transaction. */
export const TX_ID_CHARS_MAX = 128;
/** Characters of one text of free form: the longest that a message has. */
export const FREE_TEXT_CHARS_MAX = 9_000;
/** Texts of one list. */
const LIST_MAX = 100;

const text = (max: number): Shape => ({ kind: 'text', max });
const list = (of: Shape, max = LIST_MAX): Shape => ({ kind: 'list', max, of });
const words = (of: readonly string[]): Shape => ({ kind: 'word', words: new Set(of) });
const form = (pattern: RegExp, expected: string): Shape => ({
  expected,
  form: pattern,
  kind: 'form',
});
const object = (
  members: Readonly<Record<string, Shape>>,
  required: readonly string[] = [],
): ObjectShape => ({ kind: 'object', members, required });

/** Makers of shapes, for other records that are checked alike. */
export const shapeOf = { form, list, object, text, words } as const;

/** A BIC of eight or eleven characters. */
export const BIC = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/;
/** A UETR: a UUID of version 4 in small letters. */
export const UETR = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const bic = form(BIC, 'a BIC of 8 or 11 characters');
const lei = form(/^[A-Z0-9]{18}[0-9]{2}$/, 'an LEI');
const country: Shape = { kind: 'country' };
const decimal = form(/^\d{1,15}(?:\.\d{1,10})?$/, 'a decimal string with a point');
const currency = form(/^[A-Z]{3}$/, 'an ISO 4217 code');
const freeText = text(FREE_TEXT_CHARS_MAX);
const money = object({ amount: decimal, currency }, ['amount', 'currency']);

const party = object({
  account: object({ iban: text(34), other: text(256), proxy: text(2_048), scheme: text(256) }),
  address: object({
    building: text(256),
    country,
    lines: list(text(256)),
    post_code: text(256),
    street: text(256),
    subdivision: text(256),
    town: text(256),
  }),
  bic,
  birth_place: text(256),
  country_of_residence: country,
  dob: { kind: 'date' },
  ids: list(object({ country, id: text(256), issuer: text(256), scheme: text(256) }, ['id']), 20),
  lei,
  name: text(512),
  type: words(PARTY_TYPES),
});

const agent = object({
  account: text(256),
  bic,
  clearing: object({ member: text(256), system: text(256) }),
  country,
  lei,
  name: text(512),
});

/** A transaction as json_service sends it. */
export const TRANSACTION_SHAPE: ObjectShape = object(
  {
    account_id: text(256),
    amount: decimal,
    booked_at: { kind: 'instant' },
    category_purpose: text(64),
    channel: words(CHANNELS),
    charges: object({ bearer: words(CHARGE_BEARERS), items: list(money) }),
    currency,
    customer_id: text(128),
    device: object({ country, ip: text(45) }),
    direction: words(DIRECTIONS),
    end_to_end_id: text(128),
    exchange_rate: decimal,
    instructed: money,
    instruction_id: text(128),
    instructions: list(freeText),
    occurred_at: { kind: 'instant' },
    product: text(64),
    purpose: text(256),
    quality: list(text(64)),
    references: { kind: 'record', max: 32 },
    regulatory: list(freeText),
    remittance: list(freeText),
    reverses: text(TX_ID_CHARS_MAX),
    revision: { kind: 'count', max: 1_000 },
    status: words(TRANSACTION_STATUSES),
    tx_id: text(TX_ID_CHARS_MAX),
    uetr: form(UETR, 'a UUID of version 4 in small letters'),
    value_date: { kind: 'date' },
    ...Object.fromEntries(PARTY_ROLES.map((role) => [role, party])),
    ...Object.fromEntries(AGENT_ROLES.map((role) => [role, agent])),
    ...Object.fromEntries(AGENT_LISTS.map((role) => [role, list(agent, AGENTS_MAX)])),
  },
  ['tx_id', 'occurred_at', 'amount', 'currency', 'direction', 'account_id'],
);
