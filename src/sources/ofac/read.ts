/**
 * OFAC's sdn.xml and consolidated.xml: from bytes to entries as published, one at a time.
 *
 * Both files have one layout under two namespaces (the Sanctions List Service's since 2024,
 * tempuri.org before). Elements that the layout does not know are kept as `unknown`, so that an
 * addition by the publisher is counted and shown instead of being lost or stopping the imports.
 * The number of entries must be the declared Record_Count: a cut or patched file never passes.
 */
import { DomainError } from '#domain/kernel';
import { readXml, type XmlAttributes, type XmlHandler, type XmlOptions } from '../xml/index.ts';

const NAMESPACES = new Set([
  'http://tempuri.org/sdnList.xsd',
  'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML',
]);

/** Texts by element name, as published. */
export type OfacFields = Readonly<Record<string, string>>;

export const OFAC_LISTS = [
  'programList',
  'idList',
  'akaList',
  'addressList',
  'nationalityList',
  'citizenshipList',
  'dateOfBirthList',
  'placeOfBirthList',
  'vesselInfo',
] as const;
export type OfacListName = (typeof OFAC_LISTS)[number];

export interface OfacEntry {
  /** uid, firstName, lastName, title, sdnType, remarks */
  readonly fields: OfacFields;
  /** The items of each list; `programList` gives `{program}`, `vesselInfo` one item. */
  readonly lists: Readonly<Partial<Record<OfacListName, readonly OfacFields[]>>>;
  /** `path: text` of elements that the layout does not know. */
  readonly unknown: readonly string[];
}

export interface OfacHeader {
  /** YYYY-MM-DD, from Publish_Date. */
  readonly releaseDate: string;
  readonly recordCount: number;
}

const ENTRY_FIELDS = new Set(['uid', 'firstName', 'lastName', 'title', 'sdnType', 'remarks']);
const COUNTRY_FIELDS = new Set(['uid', 'country', 'mainEntry']);
const LAYOUT: Readonly<Record<OfacListName, { item: string; fields: ReadonlySet<string> }>> = {
  programList: { item: 'program', fields: new Set() },
  idList: {
    item: 'id',
    fields: new Set(['uid', 'idType', 'idNumber', 'idCountry', 'issueDate', 'expirationDate']),
  },
  akaList: { item: 'aka', fields: new Set(['uid', 'type', 'category', 'lastName', 'firstName']) },
  addressList: {
    item: 'address',
    fields: new Set([
      'uid',
      'address1',
      'address2',
      'address3',
      'city',
      'stateOrProvince',
      'postalCode',
      'country',
    ]),
  },
  nationalityList: { item: 'nationality', fields: COUNTRY_FIELDS },
  citizenshipList: { item: 'citizenship', fields: COUNTRY_FIELDS },
  dateOfBirthList: {
    item: 'dateOfBirthItem',
    fields: new Set(['uid', 'dateOfBirth', 'mainEntry']),
  },
  placeOfBirthList: {
    item: 'placeOfBirthItem',
    fields: new Set(['uid', 'placeOfBirth', 'mainEntry']),
  },
  vesselInfo: {
    item: '',
    fields: new Set([
      'callSign',
      'vesselType',
      'vesselFlag',
      'vesselOwner',
      'tonnage',
      'grossRegisteredTonnage',
    ]),
  },
};

/**
 * Calls `onEntry` for every sdnEntry in the file's order; resolves only if the file was whole.
 * Throws DomainError `list-foreign` (another document) or `list-damaged` (where and why).
 */
export async function readOfac(
  chunks: AsyncIterable<Uint8Array>,
  onEntry: (entry: OfacEntry, header: OfacHeader) => void,
  options: XmlOptions = {},
): Promise<OfacHeader> {
  const reader = new OfacReader(onEntry);
  await readXml(chunks, reader, options);
  return reader.finish();
}

export class OfacReader implements XmlHandler {
  readonly #onEntry: (entry: OfacEntry, header: OfacHeader) => void;
  readonly #uids = new Set<string>();
  readonly #publication: Record<string, string> = {};
  #header: OfacHeader | undefined;
  #fields: Record<string, string> = {};
  #lists: Partial<Record<OfacListName, OfacFields[]>> = {};
  #unknown: string[] = [];
  /** The child of sdnEntry that is open, when it is a list. */
  #listName: OfacListName | undefined;
  #item: Record<string, string> = {};
  #path: string[] = [];

  constructor(onEntry: (entry: OfacEntry, header: OfacHeader) => void) {
    this.#onEntry = onEntry;
  }

  root(name: string, namespace: string, _attributes?: XmlAttributes): void {
    if (name === 'sdnList' && NAMESPACES.has(namespace)) return;
    throw new DomainError('list-foreign', {
      detail: `expected sdnList of OFAC, got ${name} of namespace '${namespace.slice(0, 200)}'`,
    });
  }

  open(name: string, depth: number): void {
    this.#path[depth - 1] = name;
    if (depth === 2) this.#openSection(name);
    else if (depth === 3) this.#listName = Object.hasOwn(LAYOUT, name) ? listName(name) : undefined;
    else if (depth === 4 && this.#listName !== 'vesselInfo') this.#item = {};
    if (depth === 3 && this.#listName === 'vesselInfo') this.#item = {};
  }

  close(name: string, text: string, depth: number): void {
    if (depth === 2) this.#closeSection(name);
    else if (depth > 2 && this.#path[1] === 'publshInformation') this.#publication[name] = text;
    else if (depth === 3) this.#closeField(name, text);
    else if (depth === 4) this.#closeItem(name, text);
    else if (depth >= 5) this.#closeItemField(name, text, depth);
  }

  finish(): OfacHeader {
    const header = this.#header;
    if (!header) throw damaged('publshInformation is missing');
    if (this.#uids.size !== header.recordCount) {
      throw damaged(`Record_Count says ${header.recordCount}, the file holds ${this.#uids.size}`);
    }
    return header;
  }

  #openSection(name: string): void {
    if (name === 'sdnEntry') {
      if (!this.#header) throw damaged('an sdnEntry before publshInformation');
      this.#fields = {};
      this.#lists = {};
      this.#unknown = [];
    } else if (name !== 'publshInformation' || this.#header) {
      throw damaged(`an unexpected child of sdnList after ${this.#uids.size} entries`);
    }
  }

  #closeSection(name: string): void {
    if (name === 'publshInformation') {
      this.#header = parseHeader(this.#publication);
      return;
    }
    const { uid, lastName, sdnType } = this.#fields;
    if (!uid || !lastName || !sdnType) {
      throw damaged(`entry ${this.#uids.size + 1} lacks its uid, lastName or sdnType`);
    }
    if (this.#uids.has(uid)) throw damaged(`uid of entry ${this.#uids.size + 1} came before`);
    this.#uids.add(uid);
    const entry = { fields: this.#fields, lists: this.#lists, unknown: this.#unknown };
    if (this.#header) this.#onEntry(entry, this.#header);
  }

  #closeField(name: string, text: string): void {
    if (this.#listName === 'vesselInfo') this.#push('vesselInfo', this.#item);
    else if (this.#listName) this.#listName = undefined;
    else if (!ENTRY_FIELDS.has(name)) this.#keepUnknown(text, 3);
    else if (text !== '') this.#set(this.#fields, name, text, 3);
  }

  #closeItem(name: string, text: string): void {
    const list = this.#listName;
    if (list === undefined) this.#keepUnknown(text, 4);
    else if (list === 'vesselInfo') this.#closeLeaf(list, name, text, 4);
    else if (LAYOUT[list].item !== name) this.#keepUnknown(text, 4);
    else if (list === 'programList') this.#push(list, { program: text });
    else this.#push(list, this.#item);
  }

  #closeItemField(name: string, text: string, depth: number): void {
    const list = this.#listName;
    if (depth > 5 || !list || LAYOUT[list].item !== this.#path[3]) this.#keepUnknown(text, depth);
    else this.#closeLeaf(list, name, text, depth);
  }

  #closeLeaf(list: OfacListName, name: string, text: string, depth: number): void {
    if (!LAYOUT[list].fields.has(name)) this.#keepUnknown(text, depth);
    else if (text !== '') this.#set(this.#item, name, text, depth);
  }

  /** A second element of one name is as unexpected as one of an unknown name. */
  #set(target: Record<string, string>, name: string, text: string, depth: number): void {
    if (target[name] === undefined) target[name] = text;
    else this.#keepUnknown(text, depth);
  }

  #push(list: OfacListName, item: OfacFields): void {
    const items = this.#lists[list];
    if (items) items.push(item);
    else this.#lists[list] = [item];
  }

  #keepUnknown(text: string, depth: number): void {
    if (text !== '') this.#unknown.push(`${this.#path.slice(2, depth).join('/')}: ${text}`);
  }
}

const listName = (name: string): OfacListName | undefined =>
  OFAC_LISTS.find((list) => list === name);

function parseHeader(publication: Readonly<Record<string, string>>): OfacHeader {
  const date = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(publication.Publish_Date ?? '');
  const count = publication.Record_Count ?? '';
  if (!date) throw damaged('Publish_Date: expected MM/DD/YYYY');
  if (!/^\d{1,9}$/.test(count)) throw damaged('Record_Count: expected an integer');
  const releaseDate = `${date[3]}-${date[1]}-${date[2]}`;
  if (Number.isNaN(Date.parse(releaseDate))) throw damaged('Publish_Date: no such day');
  return { releaseDate, recordCount: Number(count) };
}

const damaged = (detail: string) => new DomainError('list-damaged', { detail });
