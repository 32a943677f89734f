/** What the operations of webhooks share: ports, who asks, and answers that are kept. */
import type { IdempotencyRecord } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { SecretBox } from '#platform/secretBox';
import type { ConfigureAsk, ConfigurePorts, KpiPorts } from '#slices/webhooks';
import { askerOf } from '../../../api/asker.ts';
import type { CursorCodec } from '../../../api/cursor.ts';
import { ifMatch } from '../../../api/etags.ts';
import type { Operation, OperationContext, OperationReply } from '../../../api/operation.ts';
import { storedAnswer } from '../../../api/storedAnswer.ts';

export interface WebhookRouteOptions {
  readonly ports: () => ConfigurePorts;
  readonly kpiPorts: () => KpiPorts;
  readonly cursors: CursorCodec;
  /** There is something to send. */
  readonly wake: (deliveryId: string) => void;
}

export const BODY_BYTES_MAX = 64 * 1_024;

/** What every operation of webhooks is. */
export const COMMON = {
  tag: 'Webhooks',
  idempotency: 'none',
  limits: 'general',
  bodyBytesMax: 0,
} as const satisfies Partial<Operation>;

/** The tenant of a call, as its guards depend on it. */
export const ownerOf = ({ principal, tenantId }: OperationContext) => ({
  sandbox: principal.environment === 'sandbox',
  tenantId,
});

const PURPOSE = 'idempotent-answer';

/** For an operation whose answers hold a secret: they are kept sealed (decision 1.2). */
export const sealedAnswers = ({ ports }: Pick<WebhookRouteOptions, 'ports'>) => ({
  unsealed: (stored: string): string => ports().secrets.open(stored, PURPOSE),
});

interface Kept<Value> {
  readonly ask: Pick<
    ConfigureAsk<Value>,
    'actor' | 'checkVersion' | 'idempotency' | 'ip' | 'owner'
  >;
  reply(value: Value): OperationReply;
}

/** The answer of a change: given, and kept under the caller's key, sealed if it holds a secret. */
export function kept<Value>(
  { clock, secrets }: Pick<ConfigurePorts, 'clock'> & { readonly secrets: SecretBox },
  context: OperationContext,
  of: {
    readonly status: number;
    readonly present: (value: Value) => object;
    readonly holdsSecret?: true;
  },
): Kept<Value> {
  const { idempotency: claim, request } = context;
  const { holdsSecret, present, status } = of;
  let version: number | undefined;
  const textOf = (value: Value): string => JSON.stringify(present(value));
  const record = (value: Value): IdempotencyRecord | undefined => {
    if (claim === undefined) return undefined;
    const body = holdsSecret ? secrets.seal(textOf(value), PURPOSE) : textOf(value);
    return storedAnswer(claim, { body, status }, clock);
  };
  return {
    ask: {
      ...askerOf(context),
      checkVersion: (before) => {
        requireVersion(request.header('if-match'), before);
        version = before + 1;
      },
      owner: ownerOf(context),
      ...(claim !== undefined && {
        idempotency: (value: Value) => record(value) as IdempotencyRecord,
      }),
    },
    reply: (value) => ({
      body: textOf(value),
      status,
      // Where endpoints were changed, with the version of all of them.
      ...(version !== undefined && { headers: [['etag', etagOf({ version })]] }),
    }),
  };
}

export const etagOf = ({ version }: { readonly version: number }): string => `"v${version}"`;

function requireVersion(header: string | undefined, version: number): void {
  const matches = ifMatch(header);
  if (matches === undefined || matches(etagOf({ version }))) return;
  throw new DomainError('precondition-failed');
}
