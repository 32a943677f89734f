/** ProfileRelationships to associations. */
import type { Association, AssociationType } from '#slices/lists';
import { childOf, childText, type XmlRecord } from '../../recordBuilder.ts';
import { readPeriod } from './datePeriod.ts';
import { isTrue, numberOf, type References } from './references.ts';

export interface Relation {
  readonly target: number;
  readonly type: AssociationType;
  readonly label: string;
  readonly strength: number;
  /** Comment and dates: what an association has no field for. */
  readonly detail: string;
}

export interface ReadRelation {
  readonly from: number;
  readonly relation: Relation;
  /** The same from the other side, of types that hold both ways: family, associates. */
  readonly isSymmetrical: boolean;
}

/** OFAC's relation types; a type that no line matches is BUSINESS, the weakest relation. */
const TYPES: readonly (readonly [RegExp, AssociationType])[] = [
  [/family|spouse|relative|parent of|child of|sibling/i, 'FAMILY'],
  [/own(?:s|ed|er)|control|property in the interest|subsidiary/i, 'OWNER'],
  [/leader|official|executive officer|employ|director|member of the board/i, 'EMPLOYER'],
  [/address|located/i, 'ADDRESS'],
];
const KNOWN_BUSINESS =
  /associate|acting for|on behalf|support|significant role|partner|operat|linked|agent/i;
const STRENGTH = { direct: 1, reported: 0.5, weak: 0.3 };

export function readRelation(
  record: XmlRecord,
  references: References,
  note: (kind: string) => void,
): ReadRelation {
  const typeId = record.attributes.get('RelationTypeID') ?? '';
  const name = references.textOf('RelationType', typeId);
  const known = TYPES.find(([pattern]) => pattern.test(name))?.[1];
  if (!known && !KNOWN_BUSINESS.test(name)) note('unknown-relation-type');
  const isFormer = isTrue(record, 'Former');
  const period = childOf(record, 'DatePeriod');
  const date = period ? readPeriod(period)?.date : undefined;
  const relation: Relation = {
    target: numberOf(record, 'To-ProfileID'),
    type: known ?? 'BUSINESS',
    label: isFormer ? `${name} (former)` : name,
    strength: strengthOf(references.text('RelationQuality', record), isFormer),
    detail: [childText(record, 'Comment'), date].filter(Boolean).join('; '),
  };
  const isSymmetrical = references.attribute('RelationType', typeId, 'Symmetrical');
  return {
    from: numberOf(record, 'From-ProfileID'),
    relation,
    isSymmetrical: /^(?:true|1)$/.test(isSymmetrical ?? ''),
  };
}

function strengthOf(quality: string, isFormer: boolean): number {
  if (/^(?:low|weak)/i.test(quality)) return STRENGTH.weak;
  if (isFormer || /^medium/i.test(quality)) return STRENGTH.reported;
  return STRENGTH.direct;
}

export function associationOf(
  { target, type, label, strength }: Relation,
  idOf: (profileId: number) => string,
): Association {
  return { label, strength, target_ftm_id: idOf(target), type };
}
