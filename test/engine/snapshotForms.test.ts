/**
 * What an index holds of a name is what folding makes of it, whichever way a word, a name's end or
 * an Arabic spelling was found: forms, their flags and the names that they are of.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSnapshot, type IndexEntity } from '#engine';
import { syntheticEntities } from '../../bench/names.ts';
import { foldName, listForms } from '../../src/engine/foldName.ts';
import { nameCore } from '../../src/engine/nameWords.ts';
import { TOKEN_KIND, tokenSound } from '../../src/engine/phonetic.ts';
import {
  FORM_CODED,
  FORM_CORE_STARTS,
  FORM_LEGAL_SHIFT,
  FORM_PRIMARY,
  openSnapshot,
  type Snapshot,
} from '../../src/engine/snapshotFormat.ts';
import { entity } from './fixtures.ts';

type Form = Readonly<Record<'name' | 'text', string> & { isPrimary: boolean } & Core>;
type Core = Readonly<{ isCoded: boolean; leads: boolean; ends: number }>;

function coreOf(texts: readonly string[], isPerson: boolean): Core {
  const core = isPerson ? { start: 0, end: texts.length } : nameCore(texts);
  const own = texts.slice(core.start, core.end);
  const isCoded = own.some((text) => tokenSound(text).kind === TOKEN_KIND.coded);
  return { isCoded, leads: core.start > 0, ends: Math.min(31, texts.length - core.end) };
}

/** By the definition: name by name, form by form. */
function expectedForms({ names, schema }: IndexEntity): Form[] {
  const forms = new Map<string, Form>();
  names.forEach((name, order) => {
    for (const text of listForms(foldName(name, schema === 'Person' ? 'person' : 'entity'))) {
      if (forms.has(text)) continue;
      const core = coreOf(text.split(' '), schema === 'Person');
      // A name is kept as bytes, which have no lone surrogates.
      forms.set(text, { name: name.toWellFormed(), text, isPrimary: order === 0, ...core });
    }
  });
  return [...forms.values()];
}

function heldForms(list: Snapshot, place: number): Form[] {
  const forms: Form[] = [];
  const end = list.entityFirstForm[place + 1] ?? 0;
  for (let form = list.entityFirstForm[place] ?? 0; form < end; form++) {
    const tokens = list.formToken.slice(list.formFirstToken[form], list.formFirstToken[form + 1]);
    const texts = Array.from(tokens, (token) => {
      const [start, stop] = [list.tokenStart[token], list.tokenStart[token + 1]];
      return String.fromCharCode(...list.tokenUnits.subarray(start, stop));
    });
    const name = list.formName[form] ?? 0;
    const bytes = list.nameBytes.slice(list.nameStart[name], list.nameStart[name + 1]);
    const flags = list.formFlags[form] ?? 0;
    forms.push({
      name: Buffer.from(bytes).toString(),
      text: texts.join(' '),
      isPrimary: (flags & FORM_PRIMARY) !== 0,
      isCoded: (flags & FORM_CODED) !== 0,
      leads: (flags & FORM_CORE_STARTS) !== 0,
      ends: flags >> FORM_LEGAL_SHIFT,
    });
  }
  return forms;
}

/** What stands beside the names: attributes of any number and size. */
function expectAttributes(entities: readonly IndexEntity[]): void {
  const list = openSnapshot(buildSnapshot(entities));
  const held = entities.map((_, place) => {
    const text = (bytes: Uint8Array, start: Uint32Array) =>
      Buffer.from(bytes.slice(start[place], start[place + 1])).toString();
    const count = (first: Uint32Array) => (first[place + 1] ?? 0) - (first[place] ?? 0);
    return {
      id: text(list.idBytes, list.idStart),
      card: text(list.cardBytes, list.cardStart),
      dates: count(list.entityFirstDate),
      nations: count(list.entityFirstNation),
    };
  });
  const expected = entities.map(({ id, card, datesOfBirth, nationalities }) => ({
    id,
    card,
    dates: datesOfBirth.length,
    nations: new Set(nationalities).size,
  }));
  expect(held).toEqual(expected);
}

function expectForms(entities: readonly IndexEntity[]): void {
  const list = openSnapshot(buildSnapshot(entities));
  const held = entities.map(({ names }, place) => ({ names, forms: heldForms(list, place) }));
  const expected = entities.map((one) => ({ names: one.names, forms: expectedForms(one) }));
  expect(held).toEqual(expected);
  const used = new Set(list.formToken);
  expect(used.size).toBe(list.tokenKind.length);
}

const known =
  'Mr Dr Haji General king OOO LTD Limited Company Co, L.T.D. S.A.R.L. s a r l GmbH & KG Sp. z ' +
  'o.o. public joint stock sdn bhd pty de la Smith O’Neil Al-Qa‘ida محمد عبد الله عبدالرحمن ' +
  'الشيخ بن الدكتور القذافي شركة Иванов господин 习近平 김정은 Ёжσς ΣΑΣ Straße ﷺ ㎏ ١٢٣ 9 X ' +
  '- ... ~ \u0301 e\u0301\u0301';
const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...known.split(' ')) },
  { weight: 1, arbitrary: fc.constantFrom('', '\ud800', 'a\udc00b', '\u00a0', '\u200f', '\t') },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
);
const name = fc.array(word, { maxLength: 9 }).map((words) => words.join(' '));
const names = fc.array(name, { minLength: 1, maxLength: 5 });
const schema = fc.constantFrom<IndexEntity['schema']>('Person', 'Company', 'Other');

/** Words of eight letters and digits that have one hash in wordTable.ts. */
function collidingWords(count: number): string[] {
  const parts = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const words: string[] = [];
  const bytes = Buffer.alloc(8);
  for (let seed = 0; words.length < count; seed++) {
    for (let at = 0; at < 4; at++) {
      bytes[at] = parts.charCodeAt(Math.floor(seed / parts.length ** at) % parts.length);
    }
    const hash = Math.imul(8 ^ bytes.readInt32LE(0), 0x9e3779b1);
    bytes.writeInt32LE(hash ^ (hash >>> 15) ^ 0x5eed, 4);
    const word = bytes.toString('latin1');
    if (/^[0-9A-Za-z]{8}$/.test(word)) words.push(word);
  }
  return words;
}

describe('forms of an index', () => {
  test('are those of its names, for names of many cultures', () => {
    expectForms(syntheticEntities(1_500, 5));
  });

  test('are those of its names, whatever they are made of', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, schema), { maxLength: 30 }), (all) => {
        expectForms(
          all.map(([own, kind], at) =>
            entity({ id: `e${String(at).padStart(3, '0')}`, names: own, schema: kind }),
          ),
        );
      }),
      { numRuns: 150, seed: 11 },
    );
  });

  test.for([
    ['letters', 'a'.repeat(511)],
    ['too many letters', 'abc '.repeat(129)],
    ['characters of three bytes', '习近平 '.repeat(60)],
    ['ligatures that unfold', 'ﷺ '.repeat(40)],
    ['single letters at the end', `acme ${'l l c '.repeat(20)}`],
    ['tokens that sound long', 'щ'.repeat(300)],
    ['ampersands', '&'.repeat(512)],
    ['honorifics alone', 'mr '.repeat(60)],
  ] as const)('hold %s as folding does', ([, long]) => {
    expectForms([entity({ id: 'a', names: [long, `${long}x`], schema: 'Company' })]);
  });

  test('are found though their words were made to share a hash', () => {
    const words = collidingWords(400);
    const twice = [...words, ...words.toReversed()];
    expectForms(twice.map((own, at) => entity({ id: `e${1_000 + at}`, names: [own, `a ${own}`] })));
  });

  test('stand beside what else is held of an entity, however much it is', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => ({
      ...entity({ id: `é${String(at).padStart(6, '0')}` }),
      card: 'é'.repeat(at % 700),
      datesOfBirth: Array.from({ length: at % 9 }, (_, day) => `19${60 + day}-0${1 + day}-11`),
      nationalities: ['TN', 'US', 'FR', 'US'].slice(0, at % 5),
    }));
    expectAttributes(many);
  });

  test('are there once, however many names an entity has', () => {
    const many = Array.from({ length: 4_000 }, (_, at) => `name ${at % 1_500}`);
    const list = openSnapshot(buildSnapshot([entity({ id: 'a', names: many })]));
    expect(list.formName).toHaveLength(1_500);
    expect(list.nameStart).toHaveLength(1_501);
  });
});
