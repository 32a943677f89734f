/** Names against the maps that their definition would take, however many there are. */
import { expect, test } from 'vitest';
import { AMBIGUOUS, RelationNames } from '../../../src/sources/ofac/relationNames.ts';
import { UidList } from '../../../src/sources/ofac/uidList.ts';
import { ScratchFile } from '../../../src/sources/scratchFile.ts';

test('thousands of names lead to whoever has them', async () => {
  const uids = new UidList();
  const names = new RelationNames(uids, new ScratchFile());
  const count = 20_000;
  for (let uid = 1; uid <= count; uid++) {
    uids.add(String(uid));
    names.addOwn(`NAME ${uid}`);
    names.addAlias(`ALIAS ${uid >> 1}`);
    names.want(`NAME ${uid}.`);
    names.want(`ALIAS ${uid}`);
  }
  names.want('NOBODY');
  await names.resolve();
  for (let uid = 1; uid <= count; uid++) {
    if (names.find(`NAME ${uid}.`) !== String(uid)) throw new Error(`NAME ${uid}.`);
    const alias = uid > count / 2 ? undefined : uid === count / 2 ? String(count) : AMBIGUOUS;
    if (names.find(`ALIAS ${uid}`) !== alias) throw new Error(`ALIAS ${uid}`);
  }
  expect(names.find('NOBODY')).toBeUndefined();
});
