/** The same invented parties as sdn.xml and as SDN_ADVANCED. */
import { sdnFile } from './sdnFile.ts';

export interface Party {
  readonly id: number;
  readonly kind: 'Individual' | 'Entity' | 'Vessel' | 'Aircraft';
  readonly family: string;
  readonly given?: string;
  readonly remarks?: string;
  readonly title?: string;
  readonly programs: readonly string[];
  readonly akas?: readonly Aka[];
  /** `05 Jan 1970`. */
  readonly births?: readonly string[];
  readonly places?: readonly string[];
  readonly nationalities?: readonly string[];
  readonly citizenships?: readonly string[];
  /** The first of each of these is the main one: sdn.xml says so, the other layout cannot. */
  readonly hasMain?: boolean;
  /** Street, city, province, postal code, country. */
  readonly addresses?: readonly (readonly string[])[];
  readonly documents?: readonly Document[];
  /** Types that are ids in the one layout and features in the other. */
  readonly facts?: readonly (readonly [type: string, value: string])[];
  readonly vessel?: Readonly<Record<string, string>>;
}

interface Aka {
  readonly family: string;
  readonly given?: string;
  readonly type?: string;
  readonly isWeak?: boolean;
}

interface Document {
  readonly type: string;
  readonly number: string;
  readonly country?: string;
  readonly issued?: string;
  readonly expires?: string;
}

const element = (name: string, text: string | undefined): string =>
  text === undefined || text === '' ? '' : `<${name}>${text}</${name}>`;
const list = (name: string, item: string, inner: readonly string[] = []): string =>
  inner.length === 0 ? '' : element(name, inner.map((one) => `<${item}>${one}</${item}>`).join(''));

const ADDRESS = ['address1', 'city', 'stateOrProvince', 'postalCode', 'country'];

export function asSdn(parties: readonly Party[]): string {
  return sdnFile({ entries: parties.map(sdnEntry), publishDate: '01/15/2026' });
}

function sdnEntry(party: Party): string {
  const name = (of: { family: string; given?: string }) =>
    element('firstName', of.given) + element('lastName', of.family);
  const ids = [
    ...(party.documents ?? []).map(
      (one) =>
        element('idType', one.type) +
        element('idNumber', one.number) +
        element('idCountry', one.country) +
        element('issueDate', one.issued) +
        element('expirationDate', one.expires),
    ),
    ...(party.facts ?? []).map(
      ([type, value]) => element('idType', type) + element('idNumber', value),
    ),
  ];
  const akas = (party.akas ?? []).map(
    (aka) =>
      element('type', aka.type ?? 'a.k.a.') +
      element('category', aka.isWeak ? 'weak' : 'strong') +
      name(aka),
  );
  const single = (field: string, texts: readonly string[] = []) =>
    texts.map((text, index) => {
      const isMain = party.hasMain && index === 0;
      return element(field, text) + element('mainEntry', isMain ? 'true' : undefined);
    });
  const addresses = (party.addresses ?? []).map((parts) =>
    parts.map((part, index) => element(ADDRESS[index] ?? '', part)).join(''),
  );
  const vessel = Object.entries(party.vessel ?? {});
  return element(
    'sdnEntry',
    [
      element('uid', String(party.id)) + name(party) + element('title', party.title),
      element('sdnType', party.kind) + element('remarks', party.remarks),
      list('programList', 'program', party.programs),
      list('idList', 'id', ids),
      list('akaList', 'aka', akas),
      list('addressList', 'address', addresses),
      list('nationalityList', 'nationality', single('country', party.nationalities)),
      list('citizenshipList', 'citizenship', single('country', party.citizenships)),
      list('dateOfBirthList', 'dateOfBirthItem', single('dateOfBirth', party.births)),
      list('placeOfBirthList', 'placeOfBirthItem', single('placeOfBirth', party.places)),
      element('vesselInfo', vessel.map(([field, text]) => element(field, text)).join('')),
    ].join(''),
  );
}

const VESSEL_FEATURES: Readonly<Record<string, string>> = {
  callSign: 'Vessel Call Sign',
  vesselType: 'VESSEL TYPE',
  vesselFlag: 'Vessel Flag',
  vesselOwner: 'Vessel Owner',
  tonnage: 'Vessel Tonnage',
  grossRegisteredTonnage: 'Vessel Gross Registered Tonnage',
};
const PARTS = ['ADDRESS1', 'CITY', 'STATE/PROVINCE', 'POSTAL CODE'];

/** Reference values by their text: their numbers are places in here. */
class Values {
  readonly #texts: string[] = [];
  readonly #attributes = new Map<string, string>();

  of(set: string, text: string, attributes = ''): number {
    const key = `${set}|${text}`;
    if (!this.#texts.includes(key)) this.#texts.push(key);
    if (attributes !== '') this.#attributes.set(key, ` ${attributes}`);
    return this.#texts.indexOf(key) + 1;
  }

  written(): string {
    const lines = this.#texts.map((key, index) => {
      const [set = '', text] = key.split('|');
      const attributes = this.#attributes.get(key) ?? '';
      const value = `<${set} ID="${index + 1}"${attributes}>${text}</${set}>`;
      return element(`${set}Values`, value);
    });
    return element('ReferenceValueSets', lines.join(''));
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The period of `05 Jan 1970`, with `circa ` before it or not, or of a year. */
function period(text: string): string {
  const [year = '', month = '', day = ''] = text.replace('circa ', '').split(' ').reverse();
  const number = MONTHS.indexOf(month) + 1;
  const point = (name: string, [m, d]: readonly [number, number]) =>
    element(name, element('Year', year) + element('Month', `${m}`) + element('Day', `${d}`));
  const isApproximate = `Approximate="${text.startsWith('circa')}"`;
  const [from, to] = number
    ? [[number, Number(day)] as const, [number, Number(day)] as const]
    : [[1, 1] as const, [12, 31] as const];
  return `<DatePeriod><Start ${isApproximate}>${point('From', from)}</Start>
    <End ${isApproximate}>${point('To', to)}</End></DatePeriod>`;
}

export function asAdvanced(parties: readonly Party[]): string {
  const values = new Values();
  const locations: string[] = [];
  const sections = [
    element('IDRegDocuments', parties.map((party) => documents(party, values)).join('') || ' '),
    element(
      'DistinctParties',
      parties.map((one) => distinctParty(one, values, locations)).join(''),
    ),
    '<ProfileRelationships/>',
    element('SanctionsEntries', parties.map((party) => sanctionsEntry(party, values)).join('')),
    '<SanctionsEntryLinks/>',
  ].join('');
  return `<Sanctions Version="1" xmlns="http://www.un.org/sanctions/1.0">
    <DateOfIssue><Year>2026</Year><Month>1</Month><Day>15</Day></DateOfIssue>
    ${values.written()}<Locations>${locations.join('')}</Locations>${sections}</Sanctions>`;
}

function documents({ id, documents = [] }: Party, values: Values): string {
  const date = (type: string, text: string | undefined) =>
    text === undefined
      ? ''
      : `<DocumentDate IDRegDocDateTypeID="${values.of('IDRegDocDateType', type)}">
         ${period(text)}</DocumentDate>`;
  return documents
    .map(({ type, number, country, issued, expires }, index) => {
      const by = country ? ` IssuedBy-CountryID="${values.of('Country', country)}"` : '';
      const typeId = values.of('IDRegDocType', type);
      return `<IDRegDocument ID="${10 * id + index}" IDRegDocTypeID="${typeId}"
        IdentityID="${id}"${by}>${element('IDRegistrationNo', number)}
        ${date('Issue Date', issued)}${date('Expiration Date', expires)}</IDRegDocument>`;
    })
    .join('');
}

function distinctParty(party: Party, values: Values, locations: string[]): string {
  const typeOf = {
    Individual: 'Individual',
    Entity: 'Entity',
    Vessel: 'Transport',
    Aircraft: 'Transport',
  };
  const partyType = values.of('PartyType', typeOf[party.kind]);
  const subType = values.of('PartySubType', party.kind, `PartyTypeID="${partyType}"`);
  const groups = [
    [1, party.kind === 'Individual' ? 'Last Name' : `${party.kind} Name`],
    [2, 'First Name'],
  ] as const;
  const partGroups = groups.map(
    ([order, type]) => `<MasterNamePartGroup><NamePartGroup ID="${10 * party.id + order}"
      NamePartTypeID="${values.of('NamePartType', type)}"/></MasterNamePartGroup>`,
  );
  const latin = values.of('Script', 'Latin');
  const alias = ({ family, given, type = 'a.k.a.', isWeak = false }: Aka, isPrimary = false) => {
    const parts = [family, given].map((text, index) =>
      text
        ? `<DocumentedNamePart><NamePartValue NamePartGroupID="${10 * party.id + index + 1}"
           ScriptID="${latin}">${text}</NamePartValue></DocumentedNamePart>`
        : '',
    );
    const aliasType = values.of('AliasType', isPrimary ? 'Name' : type.toUpperCase());
    return `<Alias AliasTypeID="${aliasType}" Primary="${isPrimary}" LowQuality="${isWeak}">
      <DocumentedName>${parts.join('')}</DocumentedName></Alias>`;
  };
  const aliases = [alias(party, true), ...(party.akas ?? []).map((aka) => alias(aka))];
  return `<DistinctParty FixedRef="${party.id}">${element('Comment', party.remarks)}
    <Profile ID="${party.id}" PartySubTypeID="${subType}">
    <Identity ID="${party.id}" Primary="true" False="false">${aliases.join('')}
    <NamePartGroups>${partGroups.join('')}</NamePartGroups></Identity>
    ${features(party, values, locations)}</Profile></DistinctParty>`;
}

function features(party: Party, values: Values, locations: string[]): string {
  const feature = (type: string, inner: string) =>
    `<Feature FeatureTypeID="${values.of('FeatureType', type)}">
     <FeatureVersion>${inner}</FeatureVersion></Feature>`;
  const at = (parts: readonly string[], country: string) => {
    const inner = parts.map((text, index) =>
      text === ''
        ? ''
        : `<LocationPart LocPartTypeID="${values.of('LocPartType', PARTS[index] ?? '')}">
           <LocationPartValue Primary="true">${element('Value', text)}</LocationPartValue>
           </LocationPart>`,
    );
    const id = locations.length + 1;
    locations.push(`<Location ID="${id}">
      <LocationCountry CountryID="${values.of('Country', country)}"/>${inner.join('')}</Location>`);
    return `<VersionLocation LocationID="${id}"/>`;
  };
  const text = (type: string, value: string) =>
    /date|year/i.test(type)
      ? period(value)
      : `<VersionDetail DetailTypeID="1">${value}</VersionDetail>`;
  const vessel = Object.entries(party.vessel ?? {}).map(([field, value]) =>
    feature(VESSEL_FEATURES[field] ?? '', /flag/i.test(field) ? at([], value) : text(field, value)),
  );
  return [
    ...(party.title ? [feature('Title', text('Title', party.title))] : []),
    ...(party.births ?? []).map((date) => feature('Birthdate', period(date))),
    ...(party.places ?? []).map((place) => feature('Place of Birth', text('Place', place))),
    ...(party.nationalities ?? []).map((one) => feature('Nationality Country', at([], one))),
    ...(party.citizenships ?? []).map((one) => feature('Citizenship Country', at([], one))),
    ...(party.addresses ?? []).map((parts) =>
      feature('Location', at(parts.slice(0, -1), parts.at(-1) ?? '')),
    ),
    ...(party.facts ?? []).map(([type, value]) =>
      feature(type, /flag|nationality/i.test(type) ? at([], value) : text(type, value)),
    ),
    ...vessel,
  ].join('');
}

function sanctionsEntry({ id, programs }: Party, values: Values): string {
  const measures = programs.map(
    (program) => `<SanctionsMeasure SanctionsTypeID="${values.of('SanctionsType', 'Program')}">
      ${element('Comment', program)}</SanctionsMeasure>`,
  );
  return `<SanctionsEntry ID="${id}" ProfileID="${id}" ListID="${values.of('List', 'SDN List')}">
    ${measures.join('')}</SanctionsEntry>`;
}
