/**
 * The elements of sdn.xml: which lists an entry has, what their items are called, and which fields
 * are in them. While it is read, a field is a place in an array; an item is made at its end, always
 * with the same members, since objects that grow member by member cost V8 many times as much.
 */

/** Texts by element name, as published. */
export type OfacFields = Readonly<Record<string, string | undefined>>;

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

/** Texts of an element's children, each at its field's place. */
export type Texts = (string | undefined)[];

export interface FieldLayout {
  /** Places by element name. */
  readonly places: ReadonlyMap<string, number>;
  readonly made: (texts: Readonly<Texts>) => OfacFields;
}

export interface ListLayout extends FieldLayout {
  readonly name: OfacListName;
  /** Name of one item; empty where the list is itself its one item. */
  readonly item: string;
}

/** Fields of the largest item. */
export const FIELDS_MAX = 8;

const placesOf = (...names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, place) => [name, place]));

export const ENTRY: FieldLayout = {
  places: placesOf('uid', 'firstName', 'lastName', 'title', 'sdnType', 'remarks'),
  made: (texts) => ({
    uid: texts[0],
    firstName: texts[1],
    lastName: texts[2],
    title: texts[3],
    sdnType: texts[4],
    remarks: texts[5],
  }),
};

const COUNTRY: FieldLayout = {
  places: placesOf('uid', 'country', 'mainEntry'),
  made: (texts) => ({ uid: texts[0], country: texts[1], mainEntry: texts[2] }),
};
const LAYOUTS: Readonly<Record<OfacListName, FieldLayout & { readonly item: string }>> = {
  programList: { item: 'program', places: placesOf(), made: () => ({}) },
  idList: {
    item: 'id',
    places: placesOf('uid', 'idType', 'idNumber', 'idCountry', 'issueDate', 'expirationDate'),
    made: (texts) => ({
      uid: texts[0],
      idType: texts[1],
      idNumber: texts[2],
      idCountry: texts[3],
      issueDate: texts[4],
      expirationDate: texts[5],
    }),
  },
  akaList: {
    item: 'aka',
    places: placesOf('uid', 'type', 'category', 'lastName', 'firstName'),
    made: (texts) => ({
      uid: texts[0],
      type: texts[1],
      category: texts[2],
      lastName: texts[3],
      firstName: texts[4],
    }),
  },
  addressList: {
    item: 'address',
    places: placesOf(
      ...['uid', 'address1', 'address2', 'address3', 'city', 'stateOrProvince'],
      ...['postalCode', 'country'],
    ),
    made: (texts) => ({
      uid: texts[0],
      address1: texts[1],
      address2: texts[2],
      address3: texts[3],
      city: texts[4],
      stateOrProvince: texts[5],
      postalCode: texts[6],
      country: texts[7],
    }),
  },
  nationalityList: { item: 'nationality', ...COUNTRY },
  citizenshipList: { item: 'citizenship', ...COUNTRY },
  dateOfBirthList: {
    item: 'dateOfBirthItem',
    places: placesOf('uid', 'dateOfBirth', 'mainEntry'),
    made: (texts) => ({ uid: texts[0], dateOfBirth: texts[1], mainEntry: texts[2] }),
  },
  placeOfBirthList: {
    item: 'placeOfBirthItem',
    places: placesOf('uid', 'placeOfBirth', 'mainEntry'),
    made: (texts) => ({ uid: texts[0], placeOfBirth: texts[1], mainEntry: texts[2] }),
  },
  vesselInfo: {
    item: '',
    places: placesOf(
      ...['callSign', 'vesselType', 'vesselFlag', 'vesselOwner', 'tonnage'],
      'grossRegisteredTonnage',
    ),
    made: (texts) => ({
      callSign: texts[0],
      vesselType: texts[1],
      vesselFlag: texts[2],
      vesselOwner: texts[3],
      tonnage: texts[4],
      grossRegisteredTonnage: texts[5],
    }),
  },
};

/** By the list's element. */
export const LISTS: ReadonlyMap<string, ListLayout> = new Map(
  OFAC_LISTS.map((name) => [name, { name, ...LAYOUTS[name] }]),
);
