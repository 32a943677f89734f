/** Rotation, the one reveal after it, and the end of a leaked secret (W4). */
import { type Asker, entry } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { SecretBox } from '#platform/secretBox';
import { type ConfigureAsk, configure, nextState, readConfiguration } from './configure.ts';
import type { WebhookPorts } from './ports.ts';
import { liveSecrets, makeSecret, openSecret, rotated } from './secrets.ts';
import { heldTo } from './signedEndpoints.ts';
import { endpointTable, type WebhookEndpoint } from './tables.ts';

type SecretPorts = WebhookPorts & { readonly secrets: SecretBox };

/** A secret as it is shown. */
export interface ShownSecret {
  readonly endpointId: string;
  readonly secret: string;
  /** Until when the former one holds too. */
  readonly previousExpiresAt?: EpochMs;
}

/** The endpoint that is named, or the tenant's only one. Throws `webhook-endpoint-unnamed`. */
export async function chosenEndpoint(
  ports: Pick<WebhookPorts, 'tables'>,
  tenantId: TenantId,
  endpointId: string | undefined,
): Promise<WebhookEndpoint> {
  const { endpoints } = await readConfiguration(ports, tenantId);
  if (endpointId === undefined && endpoints.length !== 1) {
    throw new DomainError('webhook-endpoint-unnamed');
  }
  const found =
    endpointId === undefined
      ? endpoints[0]
      : endpoints.find((endpoint) => endpoint.endpointId === endpointId);
  if (found === undefined) throw new DomainError('webhook-unknown');
  return found;
}

/**
 * A new secret beside the former one, which holds for another day, or instead of it. Throws
 * `webhook-secret-overlap` where two are live already.
 */
export function rotateSecret(
  ports: SecretPorts,
  ask: ConfigureAsk<ShownSecret> & { readonly endpointId?: string; readonly isRevoking: boolean },
): Promise<ShownSecret> {
  return configure(ports, ask, async () => {
    const endpoint = await chosenEndpoint(ports, ask.owner.tenantId, ask.endpointId);
    await ports.signed.require(endpoint);
    const now = ports.clock.now();
    const secretVersion = (endpoint.secrets[0]?.secretVersion ?? 0) + 1;
    const { stored, text } = makeSecret(ports, endpoint, { createdAt: now, secretVersion });
    const secrets = rotated(endpoint, stored, ask);
    const next = { ...nextState(endpoint), isRevealable: true, secrets, updatedAt: now };
    const action = ask.isRevoking ? 'webhook.secret.revoked' : 'webhook.secret.rotated';
    return {
      answered: shown(next, text),
      changes: [endpointTable.put(next, endpoint.version)],
      events: [secretEntry(ports, ask, action, next)],
    };
  });
}

/** The newest secret, once after its rotation. Throws `secret-revealed`. */
export function revealSecret(
  ports: SecretPorts,
  ask: ConfigureAsk<ShownSecret> & { readonly endpointId?: string },
): Promise<ShownSecret> {
  return configure(ports, ask, async () => {
    const endpoint = await chosenEndpoint(ports, ask.owner.tenantId, ask.endpointId);
    await ports.signed.require(endpoint);
    const [newest] = endpoint.secrets;
    if (newest === undefined || !endpoint.isRevealable) throw new DomainError('secret-revealed');
    const next = { ...nextState(endpoint), isRevealable: false };
    const live = liveSecrets(endpoint, ports.clock.now());
    return {
      answered: shown({ ...next, secrets: live }, openSecret(ports.secrets, endpoint, newest)),
      changes: [endpointTable.put(next, endpoint.version)],
      events: [secretEntry(ports, ask, 'webhook.secret.revealed', next)],
    };
  });
}

function shown({ endpointId, secrets }: WebhookEndpoint, secret: string): ShownSecret {
  const [, former] = secrets;
  const expiresAt = former?.expiresAt;
  return {
    endpointId,
    secret,
    ...(expiresAt !== undefined && { previousExpiresAt: expiresAt }),
  };
}

const secretEntry = (
  ports: WebhookPorts,
  { actor, ip }: Asker,
  action: `webhook.secret.${'revealed' | 'revoked' | 'rotated'}`,
  endpoint: WebhookEndpoint,
) =>
  entry(ports, {
    action,
    actor,
    ...(ip !== undefined && { ip }),
    members: {
      secret_versions: endpoint.secrets.map(({ secretVersion }) => secretVersion),
      ...heldTo(endpoint),
    },
    severity: 'NOTICE',
    target: endpoint.endpointId,
  });
