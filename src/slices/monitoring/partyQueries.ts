/**
 * Whom a transaction names, as queries to the lists: every party and every agent, each by its role.
 * Where the first lines of a message may be one name or a name and an address, each reading is
 * compared apart, so that none hides behind another.
 */
import type { RawQuery } from '#slices/screening';
import type { PartyRole } from './ports.ts';
import {
  AGENT_LISTS,
  AGENT_ROLES,
  type Agent,
  PARTY_ROLES,
  type Party,
  type Transaction,
} from './transaction.ts';

/** A name of a transaction and where it stands. */
export interface PartyQuery {
  readonly role: PartyRole;
  /** Place in its list, of roles that several have. */
  readonly place?: number;
  /** Which reading of its lines it is; absent where there is one alone. */
  readonly reading?: number;
  /** Absent: there is no name to compare. */
  readonly query?: RawQuery;
}

/** Code points of a name that are compared: as many as a message has room for. */
const NAME_CODE_POINTS_MAX = 512;
/** What a reader of MT103 says of a party whose name may go on in its second line. */
const MAY_WRAP = 'name-may-wrap';

/** In the order of the roles, so that the same transaction always has the same list. */
export function partyQueries(transaction: Transaction): readonly PartyQuery[] {
  const mayWrap = transaction.quality?.includes(MAY_WRAP) === true;
  const parties = PARTY_ROLES.flatMap((role) => {
    const party = transaction[role];
    return party === undefined ? [] : readingsOf(role, party, mayWrap);
  });
  const agents = AGENT_ROLES.flatMap((role) => {
    const agent = transaction[role];
    return agent === undefined ? [] : [{ role, ...agentQuery(agent) }];
  });
  const listed = AGENT_LISTS.flatMap((role) =>
    (transaction[role] ?? []).map((agent, place) => ({ place, role, ...agentQuery(agent) })),
  );
  return [...parties, ...agents, ...listed];
}

function readingsOf(role: PartyRole, party: Party, mayWrap: boolean): readonly PartyQuery[] {
  const { name = '' } = party;
  const second = party.address?.lines?.[0];
  if (!isName(name)) return [{ role }];
  if (!mayWrap || second === undefined || !isName(second)) {
    return [{ query: queryOf(name, party), role }];
  }
  return [name, `${name} ${second}`, second].map((text, reading) => ({
    query: queryOf(text, party),
    reading,
    role,
  }));
}

function queryOf(name: string, { bic, dob, ids = [], lei, type }: Party): RawQuery {
  const identifiers = [...ids.map(({ id }) => id), lei, bic].filter((one) => one !== undefined);
  return {
    name: cut(name),
    transliterations: [],
    ...(dob !== undefined && { dob }),
    ...(identifiers.length > 0 && { identifiers }),
    ...(type !== undefined && { schema: type === 'person' ? 'Person' : 'Company' }),
  };
}

/** A bank that is named by its BIC alone has no name that could be compared. */
function agentQuery({ bic, lei, name = '' }: Agent): Pick<PartyQuery, 'query'> {
  if (!isName(name)) return {};
  const identifiers = [lei, bic].filter((one) => one !== undefined);
  return {
    query: {
      name: cut(name),
      schema: 'Company',
      transliterations: [],
      ...(identifiers.length > 0 && { identifiers }),
    },
  };
}

const LETTER = /[\p{L}\p{N}]/u;
const isName = (text: string): boolean => LETTER.test(text);
const cut = (name: string): string => [...name].slice(0, NAME_CODE_POINTS_MAX).join('');
