/**
 * Programmes under which an entity is listed, in lines of any release. A former release had no
 * member for them and wrote them among the properties. A version never changes, so its lines stay
 * as they are and are read through here (docs/decisions/0044-programmes.md).
 */
import { withRoom } from '#platform/growingBuffer';
import type { ListEntity } from './entity.ts';
import {
  canonicalLine,
  type EntityLine,
  entityLine,
  parseEntityLine,
  writeContent,
} from './entityLine.ts';

/** Name of the property in which a former release wrote them; the value of an own list may stay. */
const FORMER_NAME = 'programs';
const MEMBER = Buffer.from('","programmes":["');
const FORMER_MEMBER = Buffer.from(`"${FORMER_NAME}":["`);

type Programmes = Pick<ListEntity, 'programmes'>;

/** The member as entities have it: sorted, each once, and absent where there are none. */
export function programmesMember(programmes: readonly string[]): Programmes {
  if (programmes.length === 0) return {};
  return { programmes: [...new Set(programmes)].sort() };
}

/** Whichever release wrote the entity. */
export const programmesOf = (
  entity: Pick<ListEntity, 'programmes' | 'properties'>,
): readonly string[] => entity.programmes ?? entity.properties?.[FORMER_NAME] ?? [];

/** The entity as a reader of this release gives it. */
export function inPresentForm(entity: ListEntity): ListEntity {
  const { programmes, properties } = entity;
  if (programmes !== undefined || properties?.[FORMER_NAME] === undefined) return entity;
  const { [FORMER_NAME]: former, ...others } = properties;
  return { ...entity, ...programmesMember(former), properties: others };
}

/**
 * How two lines differ, dates of sight aside: `form` where one says the same as the other in the
 * words of a former release.
 */
export type Difference = 'none' | 'form' | 'content';

/** Compares lines; keeps its buffers from one to the next. */
export class LineComparison {
  #former: Buffer = Buffer.of();
  #next: Buffer = Buffer.of();

  of(next: EntityLine, former: EntityLine): Difference {
    if (this.#isSame(next, former)) return 'none';
    const isFormer = !former.bytes.includes(MEMBER) && former.bytes.includes(FORMER_MEMBER);
    if (!isFormer || !next.bytes.includes(MEMBER)) return 'content';
    const text = canonicalLine(inPresentForm(parseEntityLine(former.bytes)));
    return this.#isSame(next, entityLine(Buffer.from(text))) ? 'form' : 'content';
  }

  #isSame(next: EntityLine, former: EntityLine): boolean {
    this.#next = withRoom(this.#next, 0, next.bytes.length);
    this.#former = withRoom(this.#former, 0, former.bytes.length);
    const bytes = writeContent(next, this.#next, 0);
    if (writeContent(former, this.#former, 0) !== bytes) return false;
    return this.#next.compare(this.#former, 0, bytes, 0, bytes) === 0;
  }
}
