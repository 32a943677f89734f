/**
 * Makes config/tables/kanjiReadings.json: how each character of a Japanese name may be read, learnt
 * from the names of config/tables/japaneseNames.json (scripts/makeScriptReadings.ts). Parents make
 * given names of characters, so that many names of children are in no table: 陽翔 is Haruto as 陽介
 * is Yosuke and 優翔 Yuto. Run by hand when that table changes; the same names give the same bytes.
 */
import { writeFileSync } from 'node:fs';
import names from '../config/tables/japaneseNames.json' with { type: 'json' };
import { type Pair, type Plan, trainedRows } from './letterTrainer.ts';

const OUT = new URL('../config/tables/kanjiReadings.json', import.meta.url);
/** Contexts behind a character's neighbours are not kept: names are too few for them. */
const NEVER = 1_000_000;
const PLAN: Plan = {
  alignedMin: -4.5,
  chunkMax: 5,
  chunksMax: 6,
  seenMin: [2, 6, 10, NEVER, NEVER],
  shareMin: 0.03,
};
/** A family name's characters are read in fewer ways than those of given names. */
const WEIGHTS = { given: 1, surnames: 0.5 } as const;

function pairs(kind: keyof typeof WEIGHTS): Pair[] {
  return Object.entries(names[kind]).flatMap(([latin, all]) =>
    all.split(' ').flatMap((name): Pair[] => {
      const letters = [...name];
      const mayAlign = latin.length <= letters.length * PLAN.chunkMax;
      return mayAlign ? [{ latin, letters, weight: WEIGHTS[kind] }] : [];
    }),
  );
}

const table = {
  comment: 'Readings of characters in Japanese names; rows as in arabicSpellings.json.',
  licenses: names.licenses,
  rows: trainedRows([...pairs('given'), ...pairs('surnames')], PLAN),
  words: {},
};
writeFileSync(OUT, `${JSON.stringify(table)}\n`);
