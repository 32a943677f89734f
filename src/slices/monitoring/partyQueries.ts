/**
 * Whom a transaction names, as queries to the lists: every party and every agent, each by its role.
 * Where the first lines of a message may be one name or a name and an address, each reading is
 * compared apart, so that none hides behind another. So is the name under which a BIC is listed:
 * most banks are named by their BIC alone, and a name beside it may be anything.
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

/** Primary names of listed banks, by BIC. */
export type ListedBanks = ReadonlyMap<string, readonly string[]>;

const NO_BANKS: ListedBanks = new Map();

/** In the order of the roles, so that the same transaction always has the same list. */
export function partyQueries(
  transaction: Transaction,
  banks: ListedBanks = NO_BANKS,
): readonly PartyQuery[] {
  const mayWrap = transaction.quality?.includes(MAY_WRAP) === true;
  const parties = PARTY_ROLES.flatMap((role) => {
    const party = transaction[role];
    if (party === undefined) return [];
    return withListed(readingsOf(role, party, mayWrap), party, banks);
  });
  const agents = agentsOf(transaction).flatMap(({ agent, place }) =>
    withListed([{ ...place, ...agentQuery(agent) }], agent, banks),
  );
  return [...parties, ...agents];
}

/** BICs of its parties and agents. */
export function bicsOf(transaction: Transaction): readonly string[] {
  const parties = PARTY_ROLES.map((role) => transaction[role]?.bic);
  const agents = agentsOf(transaction).map(({ agent }) => agent.bic);
  return [...parties, ...agents].filter((bic) => bic !== undefined);
}

interface PlacedAgent {
  readonly agent: Agent;
  readonly place: Pick<PartyQuery, 'place' | 'role'>;
}

function agentsOf(transaction: Transaction): readonly PlacedAgent[] {
  const single = AGENT_ROLES.flatMap((role): readonly PlacedAgent[] => {
    const agent = transaction[role];
    return agent === undefined ? [] : [{ agent, place: { role } }];
  });
  const several = AGENT_LISTS.flatMap((role) =>
    (transaction[role] ?? []).map(
      (agent, place): PlacedAgent => ({
        agent,
        place: { place, role },
      }),
    ),
  );
  return [...single, ...several];
}

/** Readings of one who has a BIC, and by each name under which that is listed. */
function withListed(
  readings: readonly PartyQuery[],
  { bic }: Pick<Agent, 'bic'>,
  banks: ListedBanks,
): readonly PartyQuery[] {
  const [first] = readings;
  const names = (bic !== undefined && banks.get(bic)) || [];
  if (first === undefined || bic === undefined || names.length === 0) return readings;
  const { query: _, reading: __, ...place } = first;
  const queries = [
    ...readings.flatMap(({ query }) => query ?? []),
    ...names.map(
      (name): RawQuery => ({
        identifiers: [bic],
        name: cut(name),
        transliterations: [],
      }),
    ),
  ];
  return queries.map((query, reading) => ({
    ...place,
    query,
    ...(queries.length > 1 && { reading }),
  }));
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

/** A bank that is named by a BIC alone, which is not listed, has no name to compare. */
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
