/**
 * OFAC's sdn.xml with invented entries, of any size and piece by piece: names, aliases, addresses,
 * dates, identifiers, and relations in the remarks, in about the real file's proportions.
 */
import { pick, type Random, seededRandom, seedOf } from './random.ts';

const FAMILY = ['ALVOREN', 'BASTURI', 'CENDRAK', 'DOLMAYAN', 'ESKVARI', 'FARHOUD', 'GRUNVELT'];
const GIVEN = ['Amina', 'Boris', 'Carla', 'Dmitri', 'Eva', 'Farid', 'Galina', 'Hassan', 'Ines'];
const PLACES = [
  'Havana|Cuba',
  'Tehran|Iran',
  'Damascus|Syria',
  'Minsk|Belarus',
  'Caracas|Venezuela',
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const NAMESPACE = 'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML';

export interface SdnFileOptions {
  readonly count: number;
  readonly seed?: number;
}

export function* sdnFile({ count, seed = 1 }: SdnFileOptions): Generator<string> {
  yield `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="${NAMESPACE}">
  <publshInformation>
    <Publish_Date>01/15/2026</Publish_Date>
    <Record_Count>${count}</Record_Count>
  </publshInformation>\n`;
  for (let uid = 1; uid <= count; uid++) yield entry(uid, seededRandom(seedOf(seed, uid)));
  yield '</sdnList>\n';
}

const nameOf = (uid: number): string =>
  `${FAMILY[uid % 7]} ${FAMILY[Math.floor(uid / 7) % 7]} ${uid.toString(36).toUpperCase()}`;

function entry(uid: number, random: Random): string {
  const isPerson = random() < 0.5;
  const [city = '', country = ''] = pick(random, PLACES).split('|');
  const year = 1940 + Math.floor(random() * 60);
  const dayOfMonth = String(1 + Math.floor(random() * 28)).padStart(2, '0');
  const day = `${dayOfMonth} ${pick(random, MONTHS)} ${year}`;
  const first = isPerson ? element(4, 'firstName', pick(random, GIVEN)) : '';
  const linked = `(Linked To: ${nameOf(1 + Math.floor(random() * uid))})`;
  const remarks = random() < 0.2 ? element(4, 'remarks', linked) : '';
  const akas = [0, 1].map((order) =>
    item('aka', {
      uid: String(10 * uid + order),
      type: 'a.k.a.',
      category: random() < 0.2 ? 'weak' : 'strong',
      lastName: `${pick(random, FAMILY)} ${pick(random, FAMILY)}`,
    }),
  );
  const id = {
    uid: String(uid),
    idType: 'Passport',
    idNumber: `A${1e6 + uid}`,
    idCountry: country,
  };
  const address = { uid: String(uid), address1: `${uid} Street & Co`, city, country };
  const birth = { uid: String(uid), dateOfBirth: day, mainEntry: 'true' };
  const lists = [
    list('programList', [element(6, 'program', 'SDGT')]),
    list('idList', [item('id', id)]),
    list('akaList', akas),
    list('addressList', [item('address', address)]),
    isPerson ? list('dateOfBirthList', [item('dateOfBirthItem', birth)]) : '',
  ];
  const type = element(4, 'sdnType', isPerson ? 'Individual' : 'Entity');
  const head = element(4, 'uid', String(uid)) + first + element(4, 'lastName', nameOf(uid));
  return `  <sdnEntry>\n${head}${type}${remarks}${lists.join('')}  </sdnEntry>\n`;
}

const element = (indent: number, name: string, text: string): string =>
  `${' '.repeat(indent)}<${name}>${text.replaceAll('&', '&amp;')}</${name}>\n`;

const list = (name: string, items: readonly string[]): string =>
  `    <${name}>\n${items.join('')}    </${name}>\n`;

function item(name: string, fields: Readonly<Record<string, string>>): string {
  const lines = Object.entries(fields).map(([field, text]) => element(8, field, text));
  return `      <${name}>\n${lines.join('')}      </${name}>\n`;
}
