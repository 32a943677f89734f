/**
 * How people and transliterators change names, and what makes two names those of two people:
 * seeded, for training pairs. Each takes a name as people write it.
 */
import { pick, type Random } from '../../bench/random.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const KEYS: Readonly<Record<string, string>> = {
  a: 'qsz',
  b: 'vgn',
  c: 'xdv',
  d: 'sfe',
  e: 'wrd',
  f: 'dgr',
  g: 'fht',
  h: 'gjy',
  i: 'uok',
  j: 'hku',
  k: 'jli',
  l: 'kop',
  m: 'nj',
  n: 'bmh',
  o: 'ipl',
  p: 'ol',
  q: 'wa',
  r: 'etf',
  s: 'adw',
  t: 'ryg',
  u: 'yij',
  v: 'cbf',
  w: 'qes',
  x: 'zcs',
  y: 'tuh',
  z: 'xas',
};
/** One sound, written in two ways; both ways round. */
const SOUNDS = (
  'ph:f c:k y:i ou:u oo:u sh:sch w:v j:y ee:i x:ks z:s kh:h dj:j ck:k ei:ey ai:ay ' +
  'ie:y e:i o:u a:e th:t q:k ch:sh ts:c iy:y gh:g ya:ia yu:iu v:ff ae:e ss:s ll:l mm:m dd:d'
)
  .split(' ')
  .map((pair) => pair.split(':') as [string, string]);
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: '4',
  e: '3',
  g: '9',
  i: '1',
  l: '1',
  o: '0',
  s: '5',
};
const TITLES = ['Mr.', 'Dr.', 'Mrs', 'President', 'Sheikh', 'Haji', 'Prof.', 'General', 'Sayyid'];
const LEGAL: Readonly<Record<string, readonly string[]>> = {
  ag: ['Aktiengesellschaft'],
  co: ['Company'],
  company: ['Co', 'Co.'],
  corp: ['Corporation'],
  corporation: ['Corp', 'Corp.'],
  gmbh: ['Gesellschaft mit beschränkter Haftung'],
  inc: ['Incorporated', 'Inc.'],
  jsc: ['Joint Stock Company', 'J.S.C.'],
  limited: ['Ltd', 'Ltd.'],
  llc: ['Limited Liability Company', 'L.L.C.'],
  ltd: ['Limited', 'Ltd.'],
  ojsc: ['OAO', 'Open Joint Stock Company'],
  plc: ['Public Limited Company', 'P.L.C.'],
  sa: ['S.A.', 'Societe Anonyme'],
};
const SHORT: Readonly<Record<string, readonly string[]>> = {
  association: ['assoc'],
  brothers: ['bros'],
  commercial: ['comm'],
  company: ['comp'],
  construction: ['constr', 'const'],
  department: ['dept'],
  development: ['dev'],
  engineering: ['eng', 'engg'],
  financial: ['fin'],
  general: ['gen'],
  group: ['grp'],
  industries: ['inds', 'ind'],
  insurance: ['ins'],
  international: ['intl', "int'l"],
  investment: ['inv', 'invest'],
  management: ['mgmt'],
  manufacturing: ['mfg'],
  national: ['natl'],
  petroleum: ['petr', 'petrol'],
  services: ['svcs', 'serv'],
  shipping: ['shpg'],
  systems: ['sys'],
  technology: ['tech'],
  trading: ['trdg', 'trad'],
  transport: ['transp'],
};

/** Whether a name has no letter beyond the Latin ones of Europe. */
export function isLatin(name: string): boolean {
  for (const char of name) if (char > '\u024f') return false;
  return true;
}

const words = (name: string): string[] => name.split(/\s+/).filter((word) => word !== '');
const bare = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, '');

/** One slip of the fingers in a word. */
export function typo(word: string, random: Random): string {
  if (word.length < 3) return word;
  const at = random() < 0.15 ? 0 : 1 + Math.floor(random() * (word.length - 1));
  const kind = random();
  if (kind < 0.22) return word.slice(0, at) + word.slice(at + 1);
  const key = pick(random, [...(KEYS[word.charAt(at).toLowerCase()] ?? LETTERS)]);
  const letter = random() < 0.5 ? key : pick(random, [...LETTERS]);
  if (kind < 0.42) return word.slice(0, at) + letter + word.slice(at + 1);
  if (kind < 0.58) return word.slice(0, at) + letter + word.slice(at);
  if (kind < 0.82) {
    const from = Math.min(at, word.length - 2);
    return word.slice(0, from) + word.charAt(from + 1) + word.charAt(from) + word.slice(from + 2);
  }
  if (kind < 0.93) return word.slice(0, at) + word.charAt(at) + word.slice(at);
  const alike = [...word].findIndex((letter) => letter.toLowerCase() in LOOKALIKES);
  if (alike < 0) return word;
  return (
    word.slice(0, alike) +
    (LOOKALIKES[word.charAt(alike).toLowerCase()] ?? '') +
    word.slice(alike + 1)
  );
}

/** A word as another ear writes it. */
export function heard(word: string, random: Random): string {
  const low = word.toLowerCase();
  const start = Math.floor(random() * SOUNDS.length);
  for (let turn = 0; turn < SOUNDS.length; turn++) {
    const [one, other] = SOUNDS[(start + turn) % SOUNDS.length] ?? ['', ''];
    const [from, to] = random() < 0.6 ? [one, other] : [other, one];
    const at = low.indexOf(from);
    if (at >= 0 && from !== '') return low.slice(0, at) + to + low.slice(at + from.length);
  }
  return typo(word, random);
}

function inOneWord(name: string, random: Random, change: (word: string, random: Random) => string) {
  const all = words(name);
  const long = all.flatMap((word, at) => (word.length >= 4 ? [at] : []));
  const at = pick(random, long.length > 0 ? long : all.map((_, place) => place));
  return all.map((word, place) => (place === at ? change(word, random) : word)).join(' ');
}

function joined(all: readonly string[], random: Random): string {
  const at = Math.floor(random() * Math.max(1, all.length - 1));
  const one = `${all[at] ?? ''}${(all[at + 1] ?? '').toLowerCase()}`;
  return [...all.slice(0, at), one, ...all.slice(at + 2)].join(' ');
}

function split(all: readonly string[], random: Random): string | undefined {
  const long = all.flatMap((word, at) => (word.length >= 6 ? [at] : []));
  if (long.length === 0) return undefined;
  const at = pick(random, long);
  const word = all[at] ?? '';
  const cut = 2 + Math.floor(random() * (word.length - 3));
  return [...all.slice(0, at), word.slice(0, cut), word.slice(cut), ...all.slice(at + 1)].join(' ');
}

function swapped(all: readonly string[], random: Random): string {
  const last = all.at(-1) ?? '';
  const rest = all.slice(0, -1).join(' ');
  return random() < 0.4 ? `${last}, ${rest}` : `${last} ${rest}`;
}

/** A name with one slip of the fingers. */
export function typoOnce(name: string, random: Random): string {
  return inOneWord(name, random, typo);
}

/** A name with one sound of it written in another way. */
export function heardOnce(name: string, random: Random): string {
  return inOneWord(name, random, heard);
}

/** A person's name with one change that leaves the person the same; may be the name itself. */
export function samePerson(name: string, given: readonly string[], random: Random): string {
  const all = words(name);
  const middle = all.length > 2 ? 1 + Math.floor(random() * (all.length - 2)) : 0;
  const kind = random();
  if (kind < 0.32) return inOneWord(name, random, typo);
  if (kind < 0.54) return inOneWord(name, random, heard);
  if (kind < 0.62 && middle > 0) return all.filter((_, at) => at !== middle).join(' ');
  if (kind < 0.68) return [all[0], pick(random, given), ...all.slice(1)].join(' ');
  if (kind < 0.72 && middle > 0) {
    return all.map((word, at) => (at === middle ? `${word.charAt(0)}.` : word)).join(' ');
  }
  if (kind < 0.75) return [`${all[0]?.charAt(0)}.`, ...all.slice(1)].join(' ');
  if (kind < 0.82) return swapped(all, random);
  if (kind < 0.87) return joined(all, random);
  if (kind < 0.91) return split(all, random) ?? inOneWord(name, random, typo);
  if (kind < 0.96) return `${pick(random, TITLES)} ${name}`;
  return random() < 0.5 ? name.toUpperCase() : name.replace(' ', '-');
}

/** A company's name with one change that leaves the company the same. */
export function sameCompany(name: string, random: Random): string {
  const all = words(name);
  const kind = random();
  const legal = all.findLastIndex((word) => bare(word) in LEGAL);
  const short = all.findIndex((word) => bare(word) in SHORT);
  const replaced = (at: number, by: string) =>
    all.map((word, place) => (place === at ? by : word)).join(' ');
  if (kind < 0.2 && legal >= 0) {
    return replaced(legal, pick(random, LEGAL[bare(all[legal] ?? '')] ?? ['']));
  }
  if (kind < 0.28) return `${name} ${pick(random, ['Ltd', 'Limited', 'LLC', 'Inc.', 'Co.'])}`;
  if (kind < 0.36 && legal > 0) return all.filter((_, at) => at !== legal).join(' ');
  if (kind < 0.5 && short >= 0) {
    return replaced(short, pick(random, SHORT[bare(all[short] ?? '')] ?? ['']));
  }
  if (kind < 0.74) return inOneWord(name, random, typo);
  if (kind < 0.81) return inOneWord(name, random, heard);
  if (kind < 0.87 && all.length > 1) return joined(all, random);
  if (kind < 0.91) return split(all, random) ?? inOneWord(name, random, typo);
  if (kind < 0.95) return name.includes('&') ? name.replace('&', 'and') : `The ${name}`;
  if (all.length < 3) return inOneWord(name, random, typo);
  const at = Math.floor(random() * (all.length - 1));
  return all
    .map((word, place) => all[place === at ? at + 1 : place === at + 1 ? at : place] ?? word)
    .join(' ');
}
