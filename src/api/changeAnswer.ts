/**
 * The answer of an operation that changes one record: what became of it, kept under the caller's
 * key, with the record's entity tag; If-Match says which revision the caller means.
 */
import type { IdempotencyRecord } from '#core/audit';
import type { Clock } from '#platform/clock';
import { ifMatch } from './etags.ts';
import { askedBy, kept } from './keptAnswer.ts';
import type { OperationContext, OperationReply } from './operation.ts';

/** Who asks for a change, and under which conditions. */
export type ChangeAsk<Value> = ReturnType<typeof askedBy> & {
  readonly idempotency?: (made: Value) => IdempotencyRecord;
  /** Whether the caller means the record with this entity tag; absent: whichever it is. */
  readonly isExpected?: (etag: string) => boolean;
};

export async function changeAnswer<Value>(
  ports: { readonly clock: Pick<Clock, 'now'> },
  context: OperationContext,
  of: {
    readonly change: (ask: ChangeAsk<Value>) => Promise<Value>;
    readonly etagOf: (made: Value) => string;
    readonly headers?: ((made: Value) => readonly (readonly [string, string])[]) | undefined;
    readonly present: (made: Value) => object;
    /** Absent: 200. */
    readonly status?: number | ((made: Value) => number) | undefined;
  },
): Promise<OperationReply> {
  const { change, etagOf, headers, present, status = 200 } = of;
  const answer = kept<Value>(ports, context, { present, status });
  const isExpected = ifMatch(context.request.header('if-match'));
  const made = await change({
    ...askedBy(context),
    ...answer.idempotency,
    ...(isExpected !== undefined && { isExpected }),
  });
  return { ...answer.reply(made), headers: [['etag', etagOf(made)], ...(headers?.(made) ?? [])] };
}
