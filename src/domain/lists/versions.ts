/**
 * What names a list version: two digests of its content, and a label for people.
 *
 * `list_digest` (interface.md 2.12): SHA-256 over the entities sorted by ftm_id (UTF-16 code
 * units), each contributing the line JCS([ftm_id, last_seen_at]) and a line feed, in UTF-8.
 * `content_digest` (decisions 2.10): SHA-256 over the same order, each contributing JCS(entity
 * without first and last seen) and a line feed. In `source_lists_hits` the dates `added_at` and
 * `version` are first and last seen by other names, so they are left out too: content has no
 * history in it, and two installations that imported the same file agree whatever they had imported
 * before. A run whose two digests are those in force is skipped.
 */
import { createHash, type Hash } from 'node:crypto';
import { canonicalJson } from '#platform/canonicalJson';
import type { ListEntity } from './entity.ts';

/** JCS of what makes an entity this entity, whenever it was seen. */
export function contentJson(entity: ListEntity): string {
  const { first_seen_at, last_seen_at, source_lists_hits, ...content } = entity;
  return canonicalJson({
    ...content,
    source_lists_hits: source_lists_hits.map(({ list }) => ({ list })),
  });
}

export class ListDigests {
  readonly #list: Hash = createHash('sha256');
  readonly #content: Hash = createHash('sha256');

  /** In order of ftm_id. */
  add(entity: ListEntity, content: string): void {
    this.#list.update(`${canonicalJson([entity.ftm_id, entity.last_seen_at])}\n`);
    this.#content.update(`${content}\n`);
  }

  finish(): { listDigest: string; contentDigest: string } {
    return { listDigest: this.#list.digest('hex'), contentDigest: this.#content.digest('hex') };
  }
}

/** By UTF-16 code units, the order of every bundle, index and digest. */
export function byFtmId(a: ListEntity, b: ListEntity): number {
  return a.ftm_id < b.ftm_id ? -1 : Number(a.ftm_id > b.ftm_id);
}

/** `v2024-07-02.a`, then `.b` … `.z`, `.aa`: one for each publication of one release date. */
export function nextLabel(releaseDate: string, published: readonly string[]): string {
  const prefix = `v${releaseDate}.`;
  const taken = published
    .filter((label) => label.startsWith(prefix))
    .map((label) => letterNumber(label.slice(prefix.length)));
  return prefix + letterOf(Math.max(0, ...taken) + 1);
}

/** a is 1, z 26, aa 27. */
function letterNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 96, 0);
}

function letterOf(number: number): string {
  let letters = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
