/** Resources under dual control are found by their names, and loaded when they are asked for. */
import { expect, test } from 'vitest';
import { approvablesOf } from '../../../src/app/gateway/approvables.ts';
import { SLICES } from '../../../src/app/slices.ts';
import type { ApprovalsPart, GatewayProcess } from '../../../src/slices/processes.ts';
import type { Slice } from '../../../src/slices/slice.ts';

const approvable = { check: () => Promise.reject(new Error('unchecked')), roles: [] };
let loads = 0;
const load = async (): Promise<ApprovalsPart> => {
  loads++;
  return { approvals: () => ({ thing: approvable as never }) };
};
const slice: Slice = { approvals: { thing: load }, name: 'things' };
const process = {} as GatewayProcess;

test('a name has a kind, and behind the first colon an id', async () => {
  const find = approvablesOf([slice]);
  expect(await find('other:1', process)).toBeUndefined();
  expect(loads).toBe(0);
  expect(await find('thing:1:2', process)).toEqual({ approvable, id: '1:2' });
  expect(await find('thing', process)).toEqual({ approvable, id: '' });
});

test('a kind that two slices declare stops the start', () => {
  expect(() => approvablesOf([slice, slice])).toThrow('thing is declared twice');
});

test('every kind of the product has its approvable', async () => {
  const slices: readonly Slice[] = SLICES;
  const offered: unknown = new Proxy(() => undefined, {
    apply: () => offered,
    get: () => offered,
  });
  for (const kind of slices.flatMap(({ approvals = {} }) => Object.keys(approvals))) {
    const found = await approvablesOf(slices)(`${kind}:1`, offered as GatewayProcess);
    expect(found?.approvable.rolePair, kind).toBeDefined();
  }
});
