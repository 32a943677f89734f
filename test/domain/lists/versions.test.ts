/** Digests and labels, recomputed here from their definition alone. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { describe, expect, test } from 'vitest';
import { byFtmId, contentJson, ListDigests, type ListEntity, nextLabel } from '#domain/lists';
import { listEntity } from './listEntity.ts';

function digestsOf(entities: readonly ListEntity[]) {
  const digests = new ListDigests();
  for (const entity of [...entities].sort(byFtmId)) digests.add(entity, contentJson(entity));
  return digests.finish();
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('list digests', () => {
  test('are what their definition says', () => {
    const entities = [listEntity('b'), listEntity('a', { last_seen_at: '2026-02-02' })];
    const content = (entity: ListEntity) => {
      const { first_seen_at: _f, last_seen_at: _l, source_lists_hits: _s, ...rest } = entity;
      return `${canonicalize({ ...rest, source_lists_hits: [{ list: 'DEMO' }] })}\n`;
    };
    const [b, a] = entities as [ListEntity, ListEntity];
    expect(digestsOf(entities)).toEqual({
      listDigest: sha256('["a","2026-02-02"]\n["b","2026-01-01"]\n'),
      contentDigest: sha256(content(a) + content(b)),
    });
  });

  test('ids are sorted by UTF-16 code units', () => {
    const ids = ['ｚ', '𐀀', 'a', 'B'].map((id) => listEntity(id));
    expect(ids.sort(byFtmId).map((entity) => entity.ftm_id)).toEqual(['B', 'a', '𐀀', 'ｚ']);
  });

  test('first sight changes neither, last sight one, content the other', () => {
    const before = digestsOf([listEntity('a')]);
    const hit = { list: 'DEMO', version: '2020-01-01', added_at: '2020-01-01' };
    const earlier = listEntity('a', { first_seen_at: '2020-01-01', source_lists_hits: [hit] });
    expect(digestsOf([earlier])).toEqual(before);
    const later = digestsOf([listEntity('a', { last_seen_at: '2026-02-03' })]);
    expect(later.contentDigest).toBe(before.contentDigest);
    expect(later.listDigest).not.toBe(before.listDigest);
    const changed = digestsOf([listEntity('a', { akas: ['B'] })]);
    expect(changed.listDigest).toBe(before.listDigest);
    expect(changed.contentDigest).not.toBe(before.contentDigest);
  });
});

describe('labels', () => {
  test.each([
    [[], 'v2024-07-02.a'],
    [['v2024-07-01.c'], 'v2024-07-02.a'],
    [['v2024-07-02.a'], 'v2024-07-02.b'],
    [['v2024-07-02.a', 'v2024-07-02.c'], 'v2024-07-02.d'],
    [['v2024-07-02.z'], 'v2024-07-02.aa'],
    [['v2024-07-02.az', 'v2024-07-02.b'], 'v2024-07-02.ba'],
    [['v2024-07-02.zz'], 'v2024-07-02.aaa'],
  ])('after %j comes %s', (published, expected) => {
    expect(nextLabel('2024-07-02', published)).toBe(expected);
  });
});
