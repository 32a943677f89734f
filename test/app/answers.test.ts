/** What slices ask finds who answers, or the start finds what is wrong. */
import { describe, expect, test } from 'vitest';
import {
  type Adapter,
  adapter,
  type Port,
  port,
  type Question,
  type SliceData,
} from '#core/kernel';
import { ADAPTERS } from '../../src/app/adapters.ts';
import { joinAnswers } from '../../src/app/answers.ts';
import { SLICES } from '../../src/app/slices.ts';
import type { SliceProcess } from '../../src/slices/processes.ts';

type Greet = (name: string) => Promise<string>;

const greet = port<Greet>(() => async (name) => `nobody greets ${name}`);
const draw = adapter<Greet>();
const process = { holder: 'host/test' } as SliceProcess;

const left: SliceData = { asks: { greet }, name: 'left' };
const right = (answers: SliceData['answers'] = {}): SliceData => ({ answers, name: 'right' });
const answering = async () => ({
  greet: ({ holder }: SliceProcess): Greet => {
    loads++;
    return async (name) => `${holder} greets ${name}`;
  },
});
let loads = 0;

describe('a question', () => {
  test('is answered by the fallback while nobody to the right does', async () => {
    const { ask } = joinAnswers([left, right()], {});
    expect(await ask(greet, process)('Ann')).toBe('nobody greets Ann');
  });

  test('is answered by the slice on the right, loaded by the first call alone', async () => {
    const asked = joinAnswers([left, right({ greet: answering })], {}).ask(greet, process);
    loads = 0;
    expect(await asked('Ann')).toBe('host/test greets Ann');
    expect(await asked('Bob')).toBe('host/test greets Bob');
    expect(loads).toBe(1);
  });

  test('is loaded again by the next call where the first could not load it', async () => {
    let tries = 0;
    const failing = async () => {
      if (++tries === 1) throw new Error('a disk was away');
      return answering();
    };
    const asked = joinAnswers([left, right({ greet: failing })], {}).ask(greet, process);
    await expect(asked('Ann')).rejects.toThrow('a disk was away');
    expect(await asked('Ann')).toBe('host/test greets Ann');
    expect(await asked('Bob')).toBe('host/test greets Bob');
    expect(tries).toBe(2);
  });

  test('may be asked by several slices, being one declaration', async () => {
    const other: SliceData = { asks: { greet }, name: 'other' };
    const { ask } = joinAnswers([left, other, right({ greet: answering })], {});
    expect(await ask(greet, process)('Ann')).toBe('host/test greets Ann');
  });

  test('that no slice declares is a fault of who asks it', () => {
    const { ask } = joinAnswers([right()], {});
    expect(() => ask(greet, process)).toThrow('declares what it asks');
  });

  test('whose module does not export it fails when it is asked', async () => {
    const { ask } = joinAnswers([left, right({ greet: async () => ({}) })], {});
    await expect(ask(greet, process)('Ann')).rejects.toThrow('exports greet');
  });
});

describe('an adapter', () => {
  const needy: SliceData = { name: 'needy', needs: { draw } };

  test('is the function that its module exports', async () => {
    const { need } = joinAnswers([needy], {
      draw: async () => ({ draw: async (name: string) => `a portrait of ${name}` }),
    });
    expect(await need(draw)('Ann')).toBe('a portrait of Ann');
  });

  test.each([
    ['is missing', [needy], {}, 'there is no adapter draw'],
    [
      'is needed by no slice',
      [left],
      { draw: async () => ({}) },
      'no slice needs the adapter draw',
    ],
  ])('that %s stops the start', (_, slices, adapters, reason) => {
    expect(() => joinAnswers(slices, adapters)).toThrow(reason);
  });
});

const twice: SliceData = { asks: { greet: port<Greet>(() => async () => '') }, name: 'twice' };

test.each([
  ['a name that nobody asks', [right({ greet: answering })], 'which no slice asks'],
  [
    'a second answer',
    [left, right({ greet: answering }), right({ greet: answering })],
    'is answered twice',
  ],
  ['an answer from the left', [right({ greet: answering }), left], 'on its right'],
  ['an answer to oneself', [{ ...left, answers: { greet: answering } }], 'by itself'],
  ['another question of the same name', [left, twice], 'greet is declared twice'],
])('%s stops the start', (_, slices, reason) => {
  expect(() => joinAnswers(slices, {})).toThrow(reason);
});

test('the slices of the product fit together', () => {
  expect(() => joinAnswers(SLICES, ADAPTERS)).not.toThrow();
});

test('every adapter and every answer exports its name', async () => {
  const slices: readonly SliceData[] = SLICES;
  const named = [ADAPTERS, ...slices.map(({ answers }) => answers ?? {})].flatMap((one) =>
    Object.entries(one),
  );
  for (const [name, load] of named) expect(await load(), name).toHaveProperty(name);
});

/* Types: an answer and an adapter are as they are asked, or this does not compile. */

type Declared = (typeof SLICES)[number];
type All<Part> = (Part extends unknown ? (part: Part) => void : never) extends (
  all: infer Every,
) => void
  ? Every
  : never;
type Asked = All<Declared extends infer One ? (One extends { asks: infer A } ? A : never) : never>;
type Needed = All<
  Declared extends infer One ? (One extends { needs: infer N } ? N : never) : never
>;
type Exports<Load> = Load extends () => Promise<infer Module> ? Module : never;
type Answer<Declaration> =
  Declaration extends Port<infer Q extends Question, never>
    ? (process: SliceProcess) => Q
    : Declaration extends Adapter<infer Q extends Question>
      ? Q
      : never;
type Misfits<Loads, Declarations> = {
  [Name in keyof Loads & string]: Name extends keyof Declarations
    ? Exports<Loads[Name]> extends Readonly<Record<Name, Answer<Declarations[Name]>>>
      ? never
      : Name
    : Name;
}[keyof Loads & string];
type AnswerMisfits = Declared extends infer One
  ? One extends { answers: infer A }
    ? Misfits<A, Asked>
    : never
  : never;

test('answers and adapters have the types that are asked for', () => {
  const answersFit: [AnswerMisfits] extends [never] ? true : AnswerMisfits = true;
  const adaptersFit: [Misfits<typeof ADAPTERS, Needed>] extends [never]
    ? true
    : Misfits<typeof ADAPTERS, Needed> = true;
  expect(answersFit && adaptersFit).toBe(true);
});
