/**
 * OFAC's two layouts with invented parties, of any size and piece by piece: what the real files are
 * not there for. The same seed gives the same file; SDN_ADVANCED is valid against its schema.
 */
import { pick, type Random, seededRandom, seedOf } from './random.ts';

const GIVEN = ['Amina', 'Boris', 'Carla', 'Dmitri', 'Eva', 'Farid', 'Galina', 'Hassan', 'Ines'];
const FAMILY = ['ALVOREN', 'BASTURI', 'CENDRAK', 'DOLMAYAN', 'ESKVARI', 'FARHOUD', 'GRUNVELT'];
const ENTITY = ['TRADING', 'SHIPPING', 'HOLDINGS', 'PETROLEUM', 'AVIATION', 'FOUNDATION'];
const ARABIC = ['فريد', 'حسن', 'أمينة', 'باستوري', 'دولماي'];
const CITIES = ['Havana', 'Tehran', 'Pyongyang', 'Damascus', 'Minsk', 'Caracas'];
const COUNTRIES = ['Cuba', 'Iran', 'Korea, North', 'Syria', 'Belarus', 'Venezuela'];
const ISO2 = ['CU', 'IR', 'KP', 'SY', 'BY', 'VE'];
const PROGRAMS = ['CUBA', 'SDGT', 'DPRK', 'SYRIA', 'BELARUS', 'VENEZUELA'];

const REFERENCES: Readonly<Record<string, readonly string[]>> = {
  AliasType: ['1400 A.K.A.', '1401 F.K.A.', '1402 N.K.A.', '1403 Name'],
  AreaCode: [],
  AreaCodeType: [],
  CalendarType: ['1 Gregorian', '2 Hijri'],
  Country: COUNTRIES.map((name, index) => `${11_000 + index} ${name}`),
  CountryRelevance: ['1 Unknown'],
  DecisionMakingBody: ['1 OFAC'],
  DetailReference: ['91526 Male', '91527 Female', '1700 Crude Oil Tanker'],
  DetailType: ['1430 DATE', '1431 LOOKUP', '1432 TEXT', '1433 COUNTRY'],
  DocNameStatus: ['1 Primary Latin'],
  EntryEventType: ['1 Created', '2 Amended'],
  EntryLinkType: ['1 Replaces'],
  ExRefType: ['1 Notice'],
  FeatureType: [
    '8 Birthdate',
    '9 Place of Birth',
    '10 Nationality Country',
    '11 Citizenship Country',
    '25 Location',
    '224 Gender',
    '26 Title',
    '2 VESSEL TYPE',
    '3 Vessel Flag',
    '344 Digital Currency Address - XBT',
    '14 Website',
    '504 Additional Sanctions Information -',
  ],
  FeatureTypeGroup: ['1 Individual', '2 Vessel'],
  IDRegDocDateType: ['1480 Issue Date', '1481 Expiration Date'],
  IDRegDocType: ['1571 Passport', '1626 Vessel Registration Identification', '1570 Tax ID No.'],
  IdentityFeatureLinkType: ['1 Unknown'],
  LegalBasis: ['1 Executive Order 13224'],
  LegalBasisType: ['1 Executive Order'],
  List: ['1550 SDN List'],
  LocPartType: ['1450 REGION', '1451 ADDRESS1', '1454 CITY', '1455 STATE/PROVINCE'],
  LocPartValueStatus: ['1 Unknown'],
  LocPartValueType: ['1 Unknown'],
  NamePartType: ['1520 Last Name', '1521 First Name', '1525 Entity Name', '1526 Vessel Name'],
  Organisation: ['1 Treasury'],
  PartySubType: ['1 Vessel', '2 Aircraft', '3 Unknown', '4 Unknown'],
  PartyType: ['1 Individual', '2 Entity', '4 Transport'],
  RelationQuality: ['1 High', '2 Low'],
  RelationType: [
    '15003 Owned or Controlled By',
    '15004 Family member of',
    '91725 Leader or official of',
    '1555 Associate Of',
  ],
  Reliability: ['1560 Unknown'],
  SanctionsProgram: PROGRAMS.map((name, index) => `${index + 1} ${name}`),
  SanctionsType: ['1 Program', '2 Block'],
  Script: ['215 Latin', '160 Arabic'],
  ScriptStatus: ['1 Unknown'],
  SubsidiaryBody: ['1 Sanctions office'],
  SupInfoType: ['1 Note'],
  TargetType: ['1 Unknown'],
  Validity: ['1 Valid', '2 Fraudulent'],
};

const below = (random: Random, limit: number): number => Math.floor(random() * limit);

/** Attributes that the schema requires of a set's values beside their ID. */
function attributesOf(set: string, id: string): string {
  if (set === 'Country') return ` ISO2="${ISO2[Number(id) - 11_000] ?? ''}"`;
  if (set === 'DecisionMakingBody') return ' OrganisationID="1"';
  if (set === 'FeatureType') return ' FeatureTypeGroupID="1"';
  if (set === 'LegalBasis') return ' LegalBasisTypeID="1" SanctionsProgramID="2"';
  if (set === 'PartySubType') return ` PartyTypeID="${['4', '4', '1', '2'][Number(id) - 1]}"`;
  if (set === 'RelationType') return ` Symmetrical="${id === '15004' || id === '1555'}"`;
  if (set === 'SanctionsProgram') return ' SubsidiaryBodyID="1"';
  if (set === 'SubsidiaryBody') return ' Notional="false" DecisionMakingBodyID="1"';
  return '';
}

export interface AdvancedFileOptions {
  readonly count: number;
  readonly seed?: number;
}

/** A whole SDN_ADVANCED file, some parties at a time. */
export function* advancedFile({ count, seed = 1 }: AdvancedFileOptions): Generator<string> {
  const of = (sectionSeed: number, index: number) =>
    seededRandom(seedOf(seed + 7 * sectionSeed, index));
  yield '<?xml version="1.0" encoding="utf-8"?>\n<Sanctions Version="1"';
  yield ' xmlns="http://www.un.org/sanctions/1.0">\n';
  yield '<DateOfIssue CalendarTypeID="1"><Year>2026</Year><Month>1</Month><Day>15</Day>';
  yield '</DateOfIssue>\n<ReferenceValueSets>\n';
  for (const [set, values] of Object.entries(REFERENCES)) yield references(set, values);
  yield '</ReferenceValueSets>\n';
  yield* section('Locations', count, (index) => location(index, of(1, index)));
  yield* section('IDRegDocuments', count, (index) => document(index, of(2, index)));
  yield* section('DistinctParties', count, (index) => party(index, of(3, index)));
  yield* section('ProfileRelationships', count - 1, (index) => relation(index, of(4, index)));
  yield* section('SanctionsEntries', count, (index) => entry(index, of(5, index)));
  yield '<SanctionsEntryLinks/>\n</Sanctions>\n';
}

function* section(
  name: string,
  count: number,
  record: (index: number) => string,
): Generator<string> {
  yield `<${name}>\n`;
  for (let index = 1; index <= count; index++) yield record(index);
  yield `</${name}>\n`;
}

function references(set: string, values: readonly string[]): string {
  const lines = values.map((value) => {
    const space = value.indexOf(' ');
    const id = value.slice(0, space);
    return `<${set} ID="${id}"${attributesOf(set, id)}>${value.slice(space + 1)}</${set}>`;
  });
  return `<${set}Values>${lines.join('')}</${set}Values>\n`;
}

const locationPart = (type: number, value: string): string => `    <LocationPart
      LocPartTypeID="${type}">
      <LocationPartValue Primary="true" LocPartValueTypeID="1" LocPartValueStatusID="1">
        <Comment/>
        <Value>${value}</Value>
      </LocationPartValue>
    </LocationPart>\n`;

function location(index: number, random: Random): string {
  const place = below(random, CITIES.length);
  const street = `${below(random, 900) + 1} Street No. ${below(random, 90)} &amp; Co`;
  const parts = locationPart(1451, street) + locationPart(1454, CITIES[place] ?? '');
  return `  <Location ID="${index}">
    <LocationCountry CountryID="${11_000 + place}" CountryRelevanceID="1"/>
${parts}    <FeatureVersionReference FeatureVersionID="${10 * index + 4}"/>
  </Location>\n`;
}

const point = (name: string, year: number, month: number, day: number): string =>
  `<${name}><Year>${year}</Year><Month>${month}</Month><Day>${day}</Day></${name}>`;
const FIXED = 'YearFixed="false" MonthFixed="false" DayFixed="false"';

function period(from: readonly number[], to: readonly number[], isApproximate: boolean): string {
  const [fromYear = 0, fromMonth = 0, fromDay = 0] = from;
  const [toYear = 0, toMonth = 0, toDay = 0] = to;
  const start = point('From', fromYear, fromMonth, fromDay);
  const end = point('To', toYear, toMonth, toDay);
  return `<DatePeriod CalendarTypeID="1" ${FIXED}>
          <Start Approximate="${isApproximate}" ${FIXED}>${start}</Start>
          <End Approximate="${isApproximate}" ${FIXED}>${end}</End>
        </DatePeriod>`;
}

function document(index: number, random: Random): string {
  const issued = [2010 + below(random, 10), 1 + below(random, 12), 1 + below(random, 28)];
  return `  <IDRegDocument ID="${index}" IDRegDocTypeID="${pick(random, [1571, 1570])}"
    IdentityID="${index}" IssuedBy-CountryID="${11_000 + below(random, COUNTRIES.length)}"
    ValidityID="${below(random, 10) === 0 ? 2 : 1}">
    <IDRegistrationNo>${pick(random, ['A', 'B', 'K'])}${1_000_000 + index}</IDRegistrationNo>
    <DocumentDate IDRegDocDateTypeID="1480">
        ${period(issued, issued, false)}
    </DocumentDate>
  </IDRegDocument>\n`;
}

interface Named {
  readonly parts: readonly {
    readonly group: number;
    readonly text: string;
    readonly script: number;
  }[];
  readonly type: number;
  readonly isPrimary: boolean;
  readonly isWeak: boolean;
}

function alias(index: number, order: number, { parts, type, isPrimary, isWeak }: Named): string {
  const values = parts.map(
    ({ group, text, script }) => `          <DocumentedNamePart>
            <NamePartValue NamePartGroupID="${group}" ScriptID="${script}" ScriptStatusID="1"
              Acronym="false">${text}</NamePartValue>
          </DocumentedNamePart>\n`,
  );
  return `      <Alias FixedRef="${index}" AliasTypeID="${type}" Primary="${isPrimary}"
        LowQuality="${isWeak}">
        <DocumentedName ID="${10 * index + order}" FixedRef="${index}" DocNameStatusID="1">
${values.join('')}        </DocumentedName>
      </Alias>\n`;
}

const feature = (index: number, order: number, type: number, inner: string): string => `    <Feature
      ID="${10 * index + order}" FeatureTypeID="${type}">
      <FeatureVersion ID="${10 * index + order}" ReliabilityID="1560">
        <Comment/>
        ${inner}
      </FeatureVersion>
      <IdentityReference IdentityID="${index}" IdentityFeatureLinkTypeID="1"/>
    </Feature>\n`;
const detail = (text: string): string =>
  `<VersionDetail DetailTypeID="1432">${text}</VersionDetail>`;
const lookup = (id: number): string =>
  `<VersionDetail DetailTypeID="1431" DetailReferenceID="${id}"/>`;
const at = (index: number): string => `<VersionLocation LocationID="${index}"/>`;

function party(index: number, random: Random): string {
  const kind = below(random, 10);
  const isPerson = kind < 6;
  const subType = isPerson ? 3 : kind < 9 ? 4 : 1;
  const group = (order: number) => 10 * index + order;
  const name = (): Named['parts'] =>
    isPerson
      ? [
          { group: group(1), text: `${pick(random, FAMILY)} ${pick(random, FAMILY)}`, script: 215 },
          { group: group(2), text: pick(random, GIVEN), script: 215 },
        ]
      : [
          {
            group: group(1),
            text: `${pick(random, FAMILY)} ${pick(random, ENTITY)} ${index}`,
            script: 215,
          },
        ];
  const arabic = [{ group: group(1), text: pick(random, ARABIC), script: 160 }];
  const types = isPerson ? [1520, 1521] : [subType === 1 ? 1526 : 1525];
  const groups = types.map(
    (type, order) => `          <MasterNamePartGroup>
            <NamePartGroup ID="${group(order + 1)}" NamePartTypeID="${type}"/>
          </MasterNamePartGroup>\n`,
  );
  const names: Named[] = [
    { parts: name(), type: 1403, isPrimary: true, isWeak: false },
    { parts: name(), type: 1400, isPrimary: false, isWeak: below(random, 4) === 0 },
    { parts: arabic, type: 1400, isPrimary: false, isWeak: false },
  ];
  const aliases = names.map((item, order) => alias(index, order + 1, item));
  const described = features(index, isPerson, subType === 1, random);
  return `  <DistinctParty FixedRef="${index}">
    <Comment/>
    <Profile ID="${index}" PartySubTypeID="${subType}">
    <Identity ID="${index}" FixedRef="${index}" Primary="true" False="false">
${aliases.join('')}        <NamePartGroups>
${groups.join('')}        </NamePartGroups>
      <IDRegDocumentReference IDRegDocumentID="${index}"/>
    </Identity>
${described}    <SanctionsEntryReference SanctionsEntryID="${index}"/>
    </Profile>
  </DistinctParty>\n`;
}

function features(index: number, isPerson: boolean, isVessel: boolean, random: Random): string {
  const lines = [feature(index, 4, 25, at(index))];
  if (isPerson) {
    const year = 1940 + below(random, 60);
    const day = [year, 1 + below(random, 12), 1 + below(random, 28)];
    const isYear = below(random, 3) === 0;
    const born = isYear ? period([year, 1, 1], [year, 12, 31], true) : period(day, day, false);
    lines.push(feature(index, 5, 8, born));
    lines.push(feature(index, 6, 9, detail(`${pick(random, CITIES)}, ${pick(random, COUNTRIES)}`)));
    lines.push(feature(index, 7, 10, at(index)));
    lines.push(feature(index, 8, 224, lookup(pick(random, [91_526, 91_527]))));
  } else if (isVessel) {
    lines.push(feature(index, 5, 2, lookup(1700)), feature(index, 6, 3, at(index)));
  } else {
    lines.push(feature(index, 5, 344, detail(`bc1q${'x'.repeat(20)}${index}`)));
  }
  return lines.join('');
}

function relation(index: number, random: Random): string {
  return `  <ProfileRelationship ID="${index}" From-ProfileID="${index + 1}" To-ProfileID="${index}"
    RelationTypeID="${pick(random, [15_003, 15_004, 91_725, 1555])}" RelationQualityID="1"
    Former="${below(random, 5) === 0}" SanctionsEntryID="${index + 1}">
    <Comment/>
  </ProfileRelationship>\n`;
}

function entry(index: number, random: Random): string {
  const listed = point(
    'Date',
    1990 + below(random, 35),
    1 + below(random, 12),
    1 + below(random, 28),
  );
  const measure = (order: number, type: number, comment: string) => `    <SanctionsMeasure
      ID="${10 * index + order}" SanctionsTypeID="${type}">
      <Comment>${comment}</Comment>
      <DatePeriod CalendarTypeID="1" ${FIXED}/>
    </SanctionsMeasure>\n`;
  return `  <SanctionsEntry ID="${index}" ProfileID="${index}" ListID="1550">
    <EntryEvent ID="${index}" EntryEventTypeID="1" LegalBasisID="1">
      <Comment/>
      ${listed.replace('<Date>', '<Date CalendarTypeID="1">')}
    </EntryEvent>
${measure(1, 1, pick(random, PROGRAMS))}${measure(2, 2, '')}  </SanctionsEntry>\n`;
}
