/** Names in other scripts are spelt as people spell theirs, and each query gets so many at most. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../../bench/random.ts';
import { Deadline } from '../../../src/engine/deadline.ts';
import { foldName } from '../../../src/engine/foldName.ts';
import { normalizeByName } from '../../../src/engine/normalizeByName.ts';
import { scriptSpellings } from '../../../src/engine/readings/scriptNames.ts';
import { readQuery, SPELT_MAX } from '../../../src/engine/reranker2/readQuery.ts';

const spelt = (name: string, most = 16) => scriptSpellings(foldName(name, 'person').native, most);

test.each([
  ['김정은', 'kim jong un'],
  ['박근혜', 'park keun hye'],
  ['이명박', 'lee myong pak'],
  ['데이비드 캐머런', 'david cameron'],
  ['田中博', 'tanaka hiroshi'],
  ['佐藤 健', 'sato ken'],
  ['佐藤 陽翔', 'sato haruto'],
  ['鈴木悠真', 'suzuki yuma'],
  ['习近平', 'xi jinping'],
  ['陳大文', 'chan tai man'],
  ['李嘉誠', 'li jiacheng'],
  ['大衛', 'david'],
  ['דוד רוזנצוויג', 'david rosenzweig'],
  ['בנימין גולדברג', 'benjamin goldberg'],
])('%s is spelt %s among others', (name, latin) => {
  expect(spelt(name)).toContain(latin);
});

test('a name of other scripts has no such spelling', () => {
  for (const name of ['Nikolai Patrushev', 'Николай Патрушев', 'محمد علي', 'Γιώργος', '']) {
    expect(spelt(name)).toEqual([]);
  }
});

test('no name has more spellings than asked for, none is empty or twice', () => {
  const random = seededRandom(7);
  const starts = [0xac00, 0x4e00, 0x5d0, 0x3041, 0x30a1, 0x61, 0x627, 0x20];
  for (let turn = 0; turn < 300; turn++) {
    const length = 1 + Math.floor(random() * 40);
    const name = Array.from({ length }, () => {
      const start = starts[Math.floor(random() * starts.length)] ?? 0x61;
      return String.fromCodePoint(start + Math.floor(random() * 26));
    }).join('');
    const texts = spelt(name, 5);
    expect(texts.length).toBeLessThanOrEqual(5);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text).toMatch(/^[^ ]+( [^ ]+)*$/);
  }
});

test('a query keeps the names of re-ranker 1, and has others beside them, so many', () => {
  const raw = { name: '김정은', transliterations: Array.from({ length: 30 }, () => '田中 博') };
  const before = normalizeByName(raw);
  const { spelt: others = [], ...read } = readQuery(raw);
  expect(read).toEqual(before);
  expect(others.length).toBeLessThanOrEqual(SPELT_MAX);
  expect(others).toContain('kim jong un');
  expect(others.filter((text) => read.names.includes(text))).toEqual([]);
});

test('a query in Latin letters is read as by re-ranker 1', () => {
  const raw = { dob: '1951-06-19', name: 'Ayman Zawahiri', transliterations: ['Aiman'] };
  expect(readQuery(raw)).toEqual(normalizeByName(raw));
});

test('reading ends at the deadline', () => {
  const deadline = new Deadline();
  deadline.set(0, undefined);
  const raw = { name: 'דוד '.repeat(120), transliterations: [] };
  expect(() => readQuery(raw, deadline)).toThrow();
});
