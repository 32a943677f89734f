/**
 * Whether a file is the SDN list or the consolidated (non-SDN) one. Both come in the same layouts,
 * and nothing in the header distinguishes them. Under the other's source id either would be whole
 * and in force, and thousands of sanctioned parties missing.
 *
 * sdn.xml and consolidated.xml are distinguished by the programmes of their entries, SDN_ADVANCED
 * by the list that its sanctions entries name. Most of the entries decide, since a few stand on
 * either list, and an addition of OFAC's must not turn its file into a foreign one: a list that is
 * not known here, or programmes of both lists, count for neither. A new programme counts as one of
 * the SDN list, as nearly all are. Assumes that half of the consolidated list has programmes known
 * here: 440 of 462 entries had in 2022. Of the SDN list's 15,443 in 2024, 82 had.
 */
import { DomainError } from '#core/kernel';

export type OfacList = 'OFAC_SDN' | 'OFAC_CONSOLIDATED';

/** Files with fewer entries that say anything are cut-outs and samples: too few to judge by. */
const JUDGED_ENTRIES_MIN = 50;

const NAMES: Readonly<Record<OfacList, string>> = {
  OFAC_SDN: 'SDN list',
  OFAC_CONSOLIDATED: 'consolidated (non-SDN) list',
};

/**
 * Programmes of the non-SDN lists that the consolidated file is made of, by OFAC's tags ("Program
 * Tag Definitions for OFAC Sanctions Lists" and "Consolidated Sanctions List (Non-SDN Lists)" at
 * ofac.treasury.gov). RUSSIA-EO14024, CAATSA - RUSSIA and others stand there too, under directives
 * that do not block; most of their parties are blocked and on the SDN list, so they are not here.
 */
const NON_SDN_PROGRAMS: ReadonlySet<string> = new Set([
  // Sectoral Sanctions Identifications
  ...['UKRAINE-EO13662', 'SSI'],
  // Chinese Military-Industrial Complex Companies
  ...['CMIC-EO13959', 'NS-CMIC'],
  // Palestinian Legislative Council
  'NS-PLC',
  // Foreign Sanctions Evaders
  ...['FSE-IR', 'FSE-SY', 'FSE'],
  // Correspondent accounts and payable-through accounts, the Part 561 list before
  ...['561-Related', 'CAPTA'],
  // Menu-Based Sanctions, and the Iran Sanctions Act before
  ...['HKAA', 'NS-MBS', 'NS-ISA'],
]);

/** As the Sanctions List Service names its lists; the consolidated one holds all but the first. */
const LIST_BY_NAME: ReadonlyMap<string, OfacList> = new Map([
  ['SDN List', 'OFAC_SDN'],
  ['Consolidated List', 'OFAC_CONSOLIDATED'],
  ['Sectoral Sanctions Identifications List', 'OFAC_CONSOLIDATED'],
  ['Non-SDN CMIC List', 'OFAC_CONSOLIDATED'],
  ['Non-SDN Palestinian Legislative Council List', 'OFAC_CONSOLIDATED'],
  ['FSE List', 'OFAC_CONSOLIDATED'],
  ['CAPTA List', 'OFAC_CONSOLIDATED'],
  ['Non-SDN Menu-Based Sanctions List', 'OFAC_CONSOLIDATED'],
]);

/** Counts what the entries of one file say. Other source ids than OFAC's two are never refused. */
export class ListIdentity {
  readonly #sourceId: string;
  readonly #entries: Record<OfacList, number> = { OFAC_SDN: 0, OFAC_CONSOLIDATED: 0 };
  #judged = 0;

  constructor(sourceId: string) {
    this.#sourceId = sourceId;
  }

  /** Adds the programmes of one entry; without any it counts for neither. */
  addPrograms(programs: readonly string[]): void {
    if (programs.length === 0) return;
    const others = programs.filter((program) => NON_SDN_PROGRAMS.has(program)).length;
    if (others === 0) this.#add('OFAC_SDN');
    else this.#add(others === programs.length ? 'OFAC_CONSOLIDATED' : undefined);
  }

  addListName(name: string): void {
    this.#add(LIST_BY_NAME.get(name));
  }

  /** Throws DomainError `list-foreign` where most entries are of the other list. */
  finish(): void {
    if (this.#sourceId === 'OFAC_SDN') this.#refuse('OFAC_SDN', 'OFAC_CONSOLIDATED');
    if (this.#sourceId === 'OFAC_CONSOLIDATED') this.#refuse('OFAC_CONSOLIDATED', 'OFAC_SDN');
  }

  #add(list: OfacList | undefined): void {
    this.#judged++;
    if (list !== undefined) this.#entries[list]++;
  }

  #refuse(expected: OfacList, other: OfacList): void {
    const count = this.#entries[other];
    if (this.#judged < JUDGED_ENTRIES_MIN || count * 2 <= this.#judged) return;
    const got = `${NAMES[other]} (${count} of ${this.#judged} entries)`;
    throw new DomainError('list-foreign', {
      detail: `expected OFAC's ${NAMES[expected]}, got its ${got}: import it as ${other}`,
    });
  }
}
