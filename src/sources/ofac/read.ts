/**
 * OFAC's sdn.xml and consolidated.xml: from bytes to entries as published, one at a time.
 *
 * Both files have one layout under two namespaces (the Sanctions List Service's since 2024,
 * tempuri.org before). Elements that the layout does not know are kept as `unknown`, so that an
 * addition by the publisher is counted and shown instead of being lost or stopping the imports.
 * The number of entries must be the declared Record_Count: a cut or patched file never passes.
 */
import { DomainError } from '#core/kernel';
import type { XmlAttributes, XmlHandler } from '#platform/xml/ports';
import { RecordSize } from '../recordSize.ts';
import {
  ENTRY,
  FIELDS_MAX,
  type FieldLayout,
  LISTS,
  type ListLayout,
  type OfacFields,
  type OfacListName,
  type Texts,
} from './layout.ts';
import type { UidList } from './uidList.ts';

const NAMESPACES = new Set([
  'http://tempuri.org/sdnList.xsd',
  'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML',
]);

export interface OfacEntry {
  /** uid, firstName, lastName, title, sdnType, remarks */
  readonly fields: OfacFields;
  /** The items of each list; `programList` gives `{program}`, `vesselInfo` one item. */
  readonly lists: Readonly<Partial<Record<OfacListName, readonly OfacFields[] | undefined>>>;
  /** `path: text` of elements that the layout does not know. */
  readonly unknown: readonly string[];
}

export interface OfacHeader {
  /** YYYY-MM-DD, from Publish_Date. */
  readonly releaseDate: string;
  readonly recordCount: number;
}

/**
 * Calls `onEntry` for every sdnEntry in the file's order; the file was whole only where `finish`
 * answers. Throws DomainError `list-foreign` (another document) or `list-damaged` (where and why).
 */
export class OfacReader implements XmlHandler {
  readonly #onEntry: (entry: OfacEntry, header: OfacHeader) => void;
  readonly #uids: UidList;
  readonly #publication: Record<string, string> = {};
  #header: OfacHeader | undefined;
  /** Fields of the entry and of the item that are open. */
  readonly #fields = noTexts();
  readonly #item = noTexts();
  #lists = noLists();
  #unknown: string[] = [];
  /** The child of sdnEntry that is open, when it is a list. */
  #list: ListLayout | undefined;
  /** Whether the element at depth 4 is an item of that list. */
  #isItem = false;
  readonly #path: string[] = [];
  readonly #size = new RecordSize();

  /** `uids` is filled on the way: an entry's own is there when the entry is passed on. */
  constructor(uids: UidList, onEntry: (entry: OfacEntry, header: OfacHeader) => void) {
    this.#uids = uids;
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
    if (depth === 3) this.#list = LISTS.get(name);
    else if (depth === 4) this.#isItem = this.#list?.item === name;
    else if (depth === 2) this.#openSection(name);
  }

  close(name: string, text: string, depth: number): void {
    this.#size.add(name, text.length);
    if (depth === 2) this.#closeSection(name);
    else if (depth > 2 && this.#path[1] === 'publshInformation') this.#publication[name] = text;
    else if (depth === 3) this.#closeField(name, text);
    else if (depth === 4) this.#closeItem(name, text);
    else if (depth === 5 && this.#list && this.#isItem) {
      this.#take(this.#list, this.#item, { name, text, depth });
    } else if (depth >= 5) this.#keepUnknown(text, depth);
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
    this.#size.begin();
    if (name === 'sdnEntry') {
      if (!this.#header) throw damaged('an sdnEntry before publshInformation');
      clear(this.#fields);
      this.#lists = noLists();
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
    const fields = ENTRY.made(this.#fields);
    const { uid, lastName, sdnType } = fields;
    if (!uid || !lastName || !sdnType) {
      throw damaged(`entry ${this.#uids.size + 1} lacks its uid, lastName or sdnType`);
    }
    if (!this.#uids.add(uid)) throw damaged(`uid of entry ${this.#uids.size + 1} came before`);
    const entry = { fields, lists: this.#lists, unknown: this.#unknown };
    if (this.#header) this.#onEntry(entry, this.#header);
  }

  #closeField(name: string, text: string): void {
    const list = this.#list;
    if (list === undefined) this.#take(ENTRY, this.#fields, { name, text, depth: 3 });
    else if (list.name === 'vesselInfo') this.#pushItem(list);
    this.#list = undefined;
  }

  #closeItem(name: string, text: string): void {
    const list = this.#list;
    if (list?.name === 'vesselInfo') this.#take(list, this.#item, { name, text, depth: 4 });
    else if (!list || !this.#isItem) this.#keepUnknown(text, 4);
    else if (list.name === 'programList') this.#push(list, { program: text });
    else this.#pushItem(list);
  }

  /** A second element of one name is as unexpected as one of an unknown name. */
  #take(layout: FieldLayout, texts: Texts, { name, text, depth }: Leaf): void {
    const place = layout.places.get(name);
    if (place === undefined) this.#keepUnknown(text, depth);
    else if (text === '') return;
    else if (texts[place] === undefined) texts[place] = text;
    else this.#keepUnknown(text, depth);
  }

  #pushItem(list: ListLayout): void {
    this.#push(list, list.made(this.#item));
    clear(this.#item);
  }

  #push({ name }: ListLayout, item: OfacFields): void {
    const items = this.#lists[name];
    if (items) items.push(item);
    else this.#lists[name] = [item];
  }

  #keepUnknown(text: string, depth: number): void {
    if (text !== '') this.#unknown.push(`${this.#path.slice(2, depth).join('/')}: ${text}`);
  }
}

interface Leaf {
  readonly name: string;
  readonly text: string;
  readonly depth: number;
}

const noTexts = (): Texts => new Array<string | undefined>(FIELDS_MAX).fill(undefined);

function clear(texts: Texts): void {
  for (let place = 0; place < FIELDS_MAX; place++) texts[place] = undefined;
}

type Lists = Record<OfacListName, OfacFields[] | undefined>;

const noLists = (): Lists => ({
  programList: undefined,
  idList: undefined,
  akaList: undefined,
  addressList: undefined,
  nationalityList: undefined,
  citizenshipList: undefined,
  dateOfBirthList: undefined,
  placeOfBirthList: undefined,
  vesselInfo: undefined,
});

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
