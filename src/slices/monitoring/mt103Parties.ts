/**
 * Parties and agents of an MT103: the letter behind the number of a field says how its lines are
 * to be read. What the standard leaves open, a reader of names must not decide: a name that may go
 * on in the next line is said to be one.
 */
import type { FinField } from './finMessages.ts';
import { isIban } from './messageLegs.ts';
import { BIC } from './shapes.ts';
import type { Agent, Party, PartyAccount, PartyId } from './transaction.ts';

/** A party or an agent, or which line of it is wrong. */
export type ReadField<Value> =
  | { readonly value: Value; readonly quality?: readonly string[] }
  | { readonly detail: string; readonly line: number };

/** Codes of a party's identifier in option F, before a country and the id itself. */
const PARTY_IDENTIFIER = /^(ARNU|CCPT|CUST|DRLC|EMPL|NIDN|SOSE|TXID)\/([A-Z]{2})\/(.+)$/;
const NUMBERED = /^([1-8])\/(.*)$/;
const COUNTRY = /^([A-Z]{2})(?:\/(.*))?$/;
const BIRTH_DATE = /^(\d{4})(\d{2})(\d{2})$/;

/** Fields 50A, 50F, 50K, 59, 59A and 59F. */
export function readParty(field: FinField): ReadField<Party> {
  const option = field.tag.slice(2);
  if (option === 'F') return readNumbered(field);
  const { account, rest } = withAccount(field.lines);
  if (option === 'A') {
    const [bic = ''] = rest;
    if (!BIC.test(bic.trim())) return wrong(field, 'expected a BIC', field.lines.length - 1);
    return { value: { ...account, bic: bic.trim() } };
  }
  const [name = '', ...lines] = rest.map((line) => line.trim()).filter((line) => line !== '');
  if (name === '') return { value: { ...account } };
  return {
    // Nothing marks whether the second line is of the name or of the address.
    quality: lines.length > 0 ? ['name-may-wrap'] : [],
    value: { ...account, name, ...(lines.length > 0 && { address: { lines } }) },
  };
}

/** Option F: `1/` to `8/`, each as often as it is needed. */
function readNumbered(field: FinField): ReadField<Party> {
  const [first = '', ...rest] = field.lines;
  const hasIdentifier = !NUMBERED.test(first);
  const identifier = hasIdentifier ? PARTY_IDENTIFIER.exec(first) : null;
  const { account } = withAccount(hasIdentifier && identifier === null ? [first] : []);
  const ids: { -readonly [Name in keyof PartyId]: PartyId[Name] }[] = [];
  if (identifier !== null) {
    const [, scheme = '', country = '', id = ''] = identifier;
    ids.push({ country, id, scheme });
  }
  const texts = new Map<string, string[]>();
  for (const [at, line] of (hasIdentifier ? rest : field.lines).entries()) {
    const [, number, text = ''] = NUMBERED.exec(line) ?? [];
    if (number === undefined) {
      return wrong(field, 'expected a line `1/` to `8/`', at + Number(hasIdentifier));
    }
    if (number === '8') {
      const last = ids.at(-1);
      if (last !== undefined) last.id += text;
    } else if (number === '6' || number === '7') ids.push(idOf(number, text));
    else texts.set(number, [...(texts.get(number) ?? []), text]);
  }
  const name = texts.get('1')?.join(' ').trim();
  if (!name) return wrong(field, 'expected a line `1/` with the name', 0);
  return {
    value: {
      ...account,
      name,
      ...(ids.length > 0 && { ids }),
      ...addressOf(texts.get('2') ?? [], texts.get('3') ?? []),
      ...birthOf(texts.get('4')?.[0], texts.get('5')?.[0]),
    },
  };
}

function idOf(number: '6' | '7', text: string): PartyId {
  const [country = '', ...rest] = text.split('/');
  const scheme = number === '6' ? 'CUST' : 'NIDN';
  if (!/^[A-Z]{2}$/.test(country)) return { id: text, scheme };
  if (number === '7' || rest.length < 2) return { country, id: rest.join('/') || text, scheme };
  const [issuer = '', ...id] = rest;
  return { country, id: id.join('/'), issuer, scheme };
}

function addressOf(streets: readonly string[], towns: readonly string[]): Pick<Party, 'address'> {
  const [place = '', ...more] = towns;
  const [, country, town] = COUNTRY.exec(place) ?? [];
  const [street, ...lines] = streets;
  const others = [...lines, ...more, ...(country === undefined && place !== '' ? [place] : [])];
  if (street === undefined && place === '') return {};
  return {
    address: {
      ...(street && { street }),
      ...(country && { country }),
      ...(town && { town }),
      ...(others.length > 0 && { lines: others }),
    },
  };
}

function birthOf(date: string | undefined, place: string | undefined): Party {
  const [, year, month, day] = BIRTH_DATE.exec(date ?? '') ?? [];
  const [, country, town] = COUNTRY.exec(place ?? '') ?? [];
  const where = country === undefined ? place : [town, country].filter(Boolean).join(', ');
  return {
    ...(year !== undefined && { dob: `${year}-${month}-${day}` }),
    ...(where && { birth_place: where }),
  };
}

/** Options A to D of the fields of agents, 51 to 57. */
export function readAgent(field: FinField): ReadField<Agent> {
  const option = field.tag.slice(2);
  const [first = '', ...others] = field.lines;
  const hasParty = first.startsWith('/');
  const rest = (hasParty ? others : field.lines).map((line) => line.trim()).filter(Boolean);
  const party = hasParty ? agentParty(first) : {};
  if (option === 'A') {
    const [bic = ''] = rest;
    if (BIC.test(bic)) return { value: { ...party, bic } };
    return wrong(field, 'expected a BIC', field.lines.length - 1);
  }
  if (option === 'C' && !hasParty) return wrong(field, 'expected an account or a clearing code', 0);
  if (rest.length === 0) return { value: party };
  return { value: { ...party, name: rest.join(', ') } };
}

/** `//FW021000021` is a code of a clearing system, `/C/…` and `/…` are accounts. */
function agentParty(line: string): Agent {
  const [, system, member] = /^\/\/([A-Z]{2})(.*)$/.exec(line) ?? [];
  if (system !== undefined) {
    return { clearing: member ? { member, system } : { system } };
  }
  const account = line.replace(/^\/(?:[CD]\/)?/, '').trim();
  return account === '' ? {} : { account };
}

function withAccount(lines: readonly string[]): {
  readonly account: { readonly account?: PartyAccount };
  readonly rest: readonly string[];
} {
  const [first = '', ...rest] = lines;
  if (!first.startsWith('/')) return { account: {}, rest: lines };
  const id = first.replace(/^\/+/, '').trim();
  if (id === '') return { account: {}, rest };
  return { account: { account: isIban(id) ? { iban: id } : { other: id } }, rest };
}

const wrong = (field: FinField, detail: string, at: number) => ({ detail, line: field.line + at });
