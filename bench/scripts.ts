/**
 * Latin → Arabic and Cyrillic letters, as a list publishes a name in its own script: a plain table,
 * since the data is invented anyhow. Short vowels inside an Arabic word are not written.
 */

const table = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(' ').map((pair) => {
      const [from = '', to = ''] = pair.split('=');
      return [from, to] as const;
    }),
  );

const ARABIC = table(
  'kh=خ sh=ش th=ث dh=ذ gh=غ ou=و oo=و ee=ي aa=ا ch=ش dj=ج ' +
    'a=ا b=ب c=ك d=د f=ف g=ج h=ه i=ي j=ج k=ك l=ل m=م n=ن o=و p=ب q=ق r=ر s=س t=ت u=و v=ف ' +
    'w=و x=كس y=ي z=ز e=',
);
const CYRILLIC = table(
  'shch=щ zh=ж kh=х ts=ц ch=ч sh=ш yu=ю ya=я iu=ю ' +
    'a=а b=б c=к d=д e=е f=ф g=г h=х i=и j=й k=к l=л m=м n=н o=о p=п q=к r=р s=с t=т u=у ' +
    'v=в w=в x=кс y=й z=з',
);
const LONGEST = 4;

function spelt(word: string, letters: ReadonlyMap<string, string>, from: number): [string, number] {
  for (let length = LONGEST; length > 0; length--) {
    const letter = letters.get(word.slice(from, from + length));
    if (letter !== undefined && from + length <= word.length) return [letter, length];
  }
  return ['', 1];
}

function transcribed(word: string, letters: ReadonlyMap<string, string>): string {
  let out = '';
  for (let at = 0; at < word.length; ) {
    const [letter, length] = spelt(word, letters, at);
    out += letter;
    at += length;
  }
  return out;
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z ]/g, '');

/** A romanised name in Arabic letters. */
export function toArabic(name: string): string {
  const words = plain(name)
    .split(' ')
    .map((word) => {
      // One short vowel between consonants is left out.
      const bare = word.replaceAll(/(?<=[^aeiou])[aeiou](?=[^aeiou])/g, '');
      return transcribed(bare, ARABIC);
    });
  return words.join(' ');
}

/** A romanised name in Cyrillic letters. */
export function toCyrillic(name: string): string {
  const upper = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  return plain(name)
    .split(' ')
    .map((word) => upper(transcribed(word, CYRILLIC)))
    .join(' ');
}
