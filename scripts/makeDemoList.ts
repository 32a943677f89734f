/**
 * Makes config/demo/entities.jsonl, the list that ships: `node scripts/makeDemoList.ts`.
 *
 * Everybody in it is invented. Names are put together from syllables that were made up for this
 * script, each with its Arabic and Cyrillic spelling, and a test holds them against real lists. The
 * seed is fixed, so the same bytes come out on every machine; a test compares them with the file.
 * The first eight entities are written by hand, to be named in the README and in tests.
 */
import { writeFileSync } from 'node:fs';
import { canonicalJson } from '#platform/canonicalJson';
import { type AssociationType, type Category, LIST_FORMAT } from '#slices/lists';

const SEED = 20_260_101;
const RELEASE_DATE = '2026-01-01';
const COUNTS = { persons: 200, companies: 70, vessels: 30 };
const COMMENT =
  'Every person, company and vessel in this list is invented. Likeness to anybody is chance.';

interface DemoEntity {
  readonly ftm_id: string;
  readonly schema: 'Person' | 'Company' | 'Vessel';
  readonly primary_name: string;
  readonly categories: readonly Category[];
  readonly akas?: readonly string[];
  readonly dates_of_birth?: readonly string[];
  readonly places_of_birth?: readonly string[];
  readonly citizenships?: readonly string[];
  readonly countries?: readonly string[];
  readonly identifiers?: Readonly<Record<string, string>>;
  readonly addresses?: readonly string[];
  readonly associations?: readonly DemoRelation[];
  readonly programmes?: readonly string[];
  readonly properties?: Readonly<Record<string, readonly string[]>>;
}

interface DemoRelation {
  readonly target_ftm_id: string;
  readonly type: AssociationType;
  readonly label: string;
  readonly strength: number;
}

const relation = (
  target_ftm_id: string,
  type: AssociationType,
  label: string,
  strength: number,
): DemoRelation => ({ label, strength, target_ftm_id, type });

/** Sanctioned, exposed, related over one and over two relations, owned, adverse media. */
const BY_HAND: readonly DemoEntity[] = [
  {
    ftm_id: 'demo-p-0001',
    schema: 'Person',
    primary_name: 'Tarek Velmorani',
    akas: ['طارق فلموراني', 'Tariq Vilmourani', 'Abu Dastun'],
    categories: ['SAN'],
    dates_of_birth: ['1971-03-14'],
    places_of_birth: ['Port Ombrel'],
    citizenships: ['TN'],
    countries: ['TN'],
    identifiers: { Passport: 'ZZ0000001' },
    programmes: ['DEMO-ASSET-FREEZE'],
    properties: { weak_aliases: ['Abu Dastun'] },
  },
  {
    ftm_id: 'demo-p-0002',
    schema: 'Person',
    primary_name: 'Ilvana Dostrekova',
    akas: ['Ильвана Дострекова'],
    categories: ['PEP'],
    dates_of_birth: ['1964'],
    citizenships: ['KZ'],
    properties: { title: ['Minister of Canals (invented)'] },
  },
  {
    ftm_id: 'demo-p-0003',
    schema: 'Person',
    primary_name: 'Selmira Velmorani',
    akas: ['سلميرة فلموراني'],
    categories: ['RCA'],
    dates_of_birth: ['1975-09'],
    citizenships: ['TN'],
    associations: [relation('demo-p-0001', 'FAMILY', 'spouse', 1)],
  },
  {
    ftm_id: 'demo-p-0004',
    schema: 'Person',
    primary_name: 'Nabor Orsenduro',
    categories: ['RCA'],
    dates_of_birth: ['1968/1970'],
    citizenships: ['MT'],
    associations: [relation('demo-p-0003', 'BUSINESS', 'business partner', 1)],
  },
  {
    ftm_id: 'demo-p-0005',
    schema: 'Person',
    primary_name: 'Castor Brindelhof',
    categories: ['DI'],
    dates_of_birth: ['1980-02-29'],
    citizenships: ['AT'],
    properties: { adverse_media: ['invented report on invoice fraud'] },
  },
  {
    ftm_id: 'demo-c-0001',
    schema: 'Company',
    primary_name: 'Quellmar Orvand Trading Ltd',
    akas: ['شركة كويلمار أورفاند للتجارة'],
    categories: ['SAN'],
    countries: ['TN'],
    identifiers: { 'Registration Number': 'DEMO-RN-1', 'SWIFT/BIC': 'QUELZZ22' },
    addresses: ['1 Invented Quay, Port Ombrel, Tunisia'],
    associations: [relation('demo-p-0001', 'OWNER', 'owned by', 1)],
  },
  {
    ftm_id: 'demo-c-0002',
    schema: 'Company',
    primary_name: 'Pelvasto Grain Cooperative',
    categories: ['SI'],
    countries: ['RO'],
    associations: [relation('demo-p-0002', 'EMPLOYER', 'adviser to', 0.5)],
  },
  {
    ftm_id: 'demo-v-0001',
    schema: 'Vessel',
    primary_name: 'Sarvenka Dawn',
    categories: ['SAN'],
    countries: ['PA'],
    identifiers: { IMO: '0000017' },
    associations: [relation('demo-c-0001', 'OWNER', 'owned by', 1)],
  },
];

/** Latin, Arabic, Cyrillic. */
type Syllable = readonly [string, string, string];
const FIRST: readonly Syllable[] = [
  ['Bra', 'برا', 'Бра'],
  ['Del', 'دل', 'Дел'],
  ['Fen', 'فن', 'Фен'],
  ['Gor', 'غور', 'Гор'],
  ['Hal', 'هال', 'Хал'],
  ['Jol', 'جول', 'Джол'],
  ['Kes', 'كس', 'Кес'],
  ['Lun', 'لون', 'Лун'],
  ['Mor', 'مور', 'Мор'],
  ['Nav', 'ناف', 'Нав'],
  ['Ost', 'أوست', 'Ост'],
  ['Rul', 'رول', 'Рул'],
  ['Sav', 'ساف', 'Сав'],
  ['Tor', 'تور', 'Тор'],
  ['Vel', 'فل', 'Вел'],
  ['Zan', 'زان', 'Зан'],
];
const MIDDLE: readonly Syllable[] = [
  ['bo', 'بو', 'бо'],
  ['du', 'دو', 'ду'],
  ['ki', 'كي', 'ки'],
  ['lo', 'لو', 'ло'],
  ['mi', 'مي', 'ми'],
  ['ra', 'را', 'ра'],
  ['ste', 'ست', 'сте'],
  ['va', 'فا', 'ва'],
];
const GIVEN_END: readonly Syllable[] = [
  ['dan', 'دان', 'дан'],
  ['lin', 'لين', 'лин'],
  ['mar', 'مار', 'мар'],
  ['nor', 'نور', 'нор'],
  ['sia', 'سيا', 'сия'],
  ['vik', 'فيك', 'вик'],
];
const FAMILY_END: readonly Syllable[] = [
  ['banque', 'بانك', 'банк'],
  ['drosk', 'دروسك', 'дроск'],
  ['fali', 'فالي', 'фали'],
  ['grath', 'غراث', 'грат'],
  ['lunari', 'لوناري', 'лунари'],
  ['mendo', 'مندو', 'мендо'],
  ['rovani', 'روفاني', 'ровани'],
  ['tesku', 'تسكو', 'теску'],
  ['vessar', 'فسار', 'вессар'],
  ['zhoran', 'جوران', 'жоран'],
];
const TRADES = ['Shipping', 'Trading', 'Holding', 'Minerals', 'Logistics', 'Textiles', 'Foods'];
const FORMS = ['Ltd', 'LLC', 'SARL', 'GmbH', 'S.A.', 'JSC', 'FZE'];
const VESSEL_WORDS = ['Star', 'Dawn', 'Breeze', 'Horizon', 'Pearl', 'Pioneer'];
const COUNTRIES = ['TN', 'DZ', 'EG', 'FR', 'IT', 'MT', 'RO', 'RS', 'KZ', 'AE', 'TR', 'PA', 'CY'];
const TOWNS = ['Port Ombrel', 'Nether Quill', 'Vassimor', 'Kellandro', 'East Burrovia'];
const RELATIONS: readonly (readonly [AssociationType, string, number])[] = [
  ['FAMILY', 'sibling', 1],
  ['FAMILY', 'child', 1],
  ['BUSINESS', 'business partner', 0.5],
  ['EMPLOYER', 'works for', 0.5],
  ['ADDRESS', 'same address', 0.3],
];

/** mulberry32: small, seeded, the same everywhere. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }
}

/** One word in three scripts. */
function word(dice: Dice, endings: readonly Syllable[]): Syllable {
  const parts = [dice.pick(FIRST), dice.pick(MIDDLE), dice.pick(endings)];
  const spell = (script: 0 | 1 | 2) => parts.map((part) => part[script]).join('');
  return [spell(0), spell(1), spell(2)];
}

const number = (value: number, digits: number): string => String(value).padStart(digits, '0');

function birthDate(dice: Dice): string {
  const year = 1940 + dice.below(62);
  const month = number(1 + dice.below(12), 2);
  const kind = dice.below(10);
  if (kind < 6) return `${year}-${month}-${number(1 + dice.below(28), 2)}`;
  if (kind < 8) return String(year);
  return kind === 8 ? `${year}-${month}` : `${year}/${year + 1 + dice.below(4)}`;
}

function categories(dice: Dice): readonly Category[] {
  const roll = dice.below(20);
  if (roll < 9) return ['SAN'];
  if (roll < 13) return ['PEP'];
  if (roll < 17) return ['RCA'];
  return roll < 19 ? ['DI'] : ['SI'];
}

/** A related party names somebody who came before, who may name another: two relations. */
function relations(dice: Dice, kinds: readonly Category[], earlier: readonly DemoEntity[]) {
  if (!kinds.includes('RCA')) return {};
  const sought = earlier.filter((entity) => !entity.categories.includes('DI'));
  const [type, label, strength] = dice.pick(RELATIONS);
  return { associations: [relation(dice.pick(sought).ftm_id, type, label, strength)] };
}

function person(dice: Dice, index: number, earlier: readonly DemoEntity[]): DemoEntity {
  const given = word(dice, GIVEN_END);
  const family = word(dice, FAMILY_END);
  const kinds = categories(dice);
  const country = dice.pick(COUNTRIES);
  const akas: string[] = [];
  if (dice.below(3) === 0) akas.push(`${given[1]} ${family[1]}`);
  if (dice.below(4) === 0) akas.push(`${given[2]} ${family[2]}`);
  if (dice.below(4) === 0) akas.push(`${given[0]} ${family[0].replace(/([aeiou])/, '$1$1')}`);
  return {
    ftm_id: `demo-p-${number(index, 4)}`,
    schema: 'Person',
    primary_name: `${given[0]} ${family[0]}`,
    akas,
    categories: kinds,
    citizenships: dice.below(8) === 0 ? [country, dice.pick(COUNTRIES)] : [country],
    dates_of_birth: [birthDate(dice)],
    places_of_birth: [dice.pick(TOWNS)],
    ...(dice.below(3) === 0 ? { identifiers: { Passport: `ZZ${number(index, 7)}` } } : {}),
    ...relations(dice, kinds, earlier),
  };
}

function company(dice: Dice, index: number, earlier: readonly DemoEntity[]): DemoEntity {
  const name = word(dice, FAMILY_END);
  const second = word(dice, GIVEN_END);
  const owner = dice.pick(earlier.filter((entity) => entity.schema === 'Person'));
  return {
    ftm_id: `demo-c-${number(index, 4)}`,
    schema: 'Company',
    primary_name: `${name[0]} ${second[0]} ${dice.pick(TRADES)} ${dice.pick(FORMS)}`,
    akas: dice.below(3) === 0 ? [`${name[1]} ${second[1]}`] : [],
    categories: dice.below(4) === 0 ? ['SI'] : ['SAN'],
    countries: [dice.pick(COUNTRIES)],
    addresses: [`${1 + dice.below(99)} Invented Road, ${dice.pick(TOWNS)}`],
    identifiers: { 'Registration Number': `DEMO-RN-${index}` },
    associations: dice.below(2) === 0 ? [relation(owner.ftm_id, 'OWNER', 'owned by', 1)] : [],
  };
}

function vessel(dice: Dice, index: number, earlier: readonly DemoEntity[]): DemoEntity {
  const owner = dice.pick(earlier.filter((entity) => entity.schema === 'Company'));
  return {
    ftm_id: `demo-v-${number(index, 4)}`,
    schema: 'Vessel',
    primary_name: `${word(dice, FAMILY_END)[0]} ${dice.pick(VESSEL_WORDS)}`,
    categories: ['SAN'],
    countries: [dice.pick(COUNTRIES)],
    // No ship has a number under a million, so these are nobody's.
    identifiers: { IMO: number(index * 11, 7) },
    associations: [relation(owner.ftm_id, 'OWNER', 'owned by', 1)],
  };
}

/** The file's lines, without line feeds. */
export function demoLines(): string[] {
  const dice = new Dice(SEED);
  const entities = [...BY_HAND];
  const names = new Set(entities.map((entity) => entity.primary_name));
  const makers = [
    { make: person, schema: 'Person', count: COUNTS.persons },
    { make: company, schema: 'Company', count: COUNTS.companies },
    { make: vessel, schema: 'Vessel', count: COUNTS.vessels },
  ];
  for (const { make, schema, count } of makers) {
    let made = entities.filter((entity) => entity.schema === schema).length;
    while (made < count) {
      const entity = make(dice, made + 1, entities);
      if (names.has(entity.primary_name)) continue;
      names.add(entity.primary_name);
      entities.push(entity);
      made++;
    }
  }
  const header = {
    $schema: LIST_FORMAT,
    comment: COMMENT,
    entity_count: entities.length,
    release_date: RELEASE_DATE,
    source: 'DEMO',
  };
  return [canonicalJson(header), ...entities.map(withoutEmpty)];
}

function withoutEmpty(entity: DemoEntity): string {
  const members = Object.entries(entity).filter(
    ([, value]) => !(Array.isArray(value) && value.length === 0),
  );
  return canonicalJson(Object.fromEntries(members));
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const path = new URL('../config/demo/entities.jsonl', import.meta.url);
  writeFileSync(path, `${demoLines().join('\n')}\n`);
}
