/** What the operations of privacy work with, and what they share. */
import type { CallerLinks } from '#platform/callerLinks';
import type { CaseParts } from '#slices/customers';
import type { KeptRequest, PrivacyDesk, PrivacyRequest } from '#slices/privacy';
import type { CursorCodec } from '../../../api/cursor.ts';
import { ifMatch } from '../../../api/etags.ts';
import { kept } from '../../../api/keptAnswer.ts';
import type { OperationContext } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { actorOf } from './actorOf.ts';
import { etagOf, presentRequest, requestEtag } from './presentation.ts';

export const BODY_BYTES_MAX = 64 * 1024;
export const COMMON = { limits: 'general', tag: 'Privacy' } as const;

export interface PrivacyRouteOptions {
  /** What a subject is, and is corrected as, stands in cases. */
  readonly cases: () => CaseParts;
  readonly ports: PrivacyDesk;
  readonly links: () => CallerLinks;
  readonly cursors: CursorCodec;
  readonly identity: GatewayProcess['identity'];
  /** There is work for a worker. */
  readonly wake: GatewayProcess['wake'];
}

/** Whether the caller means the version; absent without If-Match. */
export function expectedBy(context: OperationContext) {
  const matches = ifMatch(context.request.header('if-match'));
  return matches && { isExpected: (version: number) => matches(etagOf(version)) };
}

/** One step of a request by the caller, with its answer kept under the key. */
export async function step(
  { identity, ports }: PrivacyRouteOptions,
  context: OperationContext,
  act: (
    ask: {
      readonly by: Awaited<ReturnType<typeof actorOf>>;
      readonly requestId: string;
      readonly isExpected?: (version: number) => boolean;
    },
    idempotency: KeptRequest | undefined,
  ) => Promise<PrivacyRequest>,
) {
  const now = ports.clock.now();
  const answer = kept<PrivacyRequest>(ports, context, {
    present: (request) => presentRequest(request, now),
    status: 200,
  });
  const ask = {
    by: await actorOf({ identity }, context),
    requestId: context.params.request_id ?? '',
    ...expectedBy(context),
  };
  const request = await act(ask, answer.idempotency.idempotency);
  return { ...answer.reply(request), headers: [['etag', requestEtag(request)] as const] };
}
