/**
 * Stored answers of requests under a key carry a tag of this installation, over all of the record:
 * whoever can write the database can neither change an answer, nor put one under another key or
 * time, nor make one up. The chain does not hold them: an answer is made after its event is sealed,
 * and it is kept for a day.
 */
import type { SecretBox } from '#platform/secretBox';
import type { IdempotencyRecord } from './ports.ts';

const PURPOSE = 'idempotent-answer-v1';

/** Tags answers that are to be stored, and says of stored ones whether they are ours. */
export interface AnswerTags {
  tagged(record: IdempotencyRecord): IdempotencyRecord;
  /** Whether this installation wrote it, as it is. */
  isOwn(record: IdempotencyRecord): boolean;
}

/** Tags under the keys of this box: HMAC-SHA-256, compared in constant time. */
export const answerTags = (box: Pick<SecretBox, 'isTagOf' | 'tag'>): AnswerTags => ({
  isOwn: (record) => box.isTagOf(record.answer.tag ?? '', textOf(record), PURPOSE),
  tagged: (record) => ({
    ...record,
    answer: { ...record.answer, tag: box.tag(textOf(record), PURPOSE) },
  }),
});

/** A JSON array, so that no two records have one text. */
function textOf({ answer, createdAt, fingerprint, scope }: IdempotencyRecord): string {
  const { kind, status } = answer;
  const given = kind === 'body' ? [answer.contentType, answer.body] : [answer.seq, answer.tookMs];
  return JSON.stringify([scope, fingerprint, createdAt, kind, status, ...given]);
}
