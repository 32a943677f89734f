/**
 * Changes of what connections to an endpoint show and believe: a client certificate with its key,
 * or for a key that was made here; an authority of the endpoint's owner.
 */
import { type Asker, type EventDraft, entry } from '#core/audit';
import { makeCertificateRequest, type RequestSubject } from '#platform/certificateRequest';
import { sha256Hex } from '#platform/crypto';
import type { SecretBox } from '#platform/secretBox';
import { checkAuthority, checkCertificate, sealKey } from './clientCertificate.ts';
import { type ConfigureAsk, configure, endpointIn, nextState } from './configure.ts';
import { requireHttps } from './endpointUrl.ts';
import type { WebhookPorts } from './ports.ts';
import { heldTo } from './signedEndpoints.ts';
import { endpointTable, type WebhookEndpoint } from './tables.ts';

type TlsPorts = WebhookPorts & { readonly secrets: SecretBox };

/** Members that are absent stay as they are; null takes away. */
export interface TlsChange {
  readonly clientCertificate?: {
    readonly certificatePem: string;
    /** Absent: that of the last request. */
    readonly keyPem?: string;
  } | null;
  readonly caPem?: string | null;
}

/** Throws `webhook-unknown`, `webhook-certificate-refused`, `webhook-url-refused`. */
export function changeTls(
  ports: TlsPorts,
  ask: ConfigureAsk<WebhookEndpoint> & { readonly endpointId: string },
  change: TlsChange,
): Promise<WebhookEndpoint> {
  return configure(ports, ask, async (before) => {
    const endpoint = await ports.signed.require(endpointIn(before, ask.endpointId));
    const next = withTls(ports, endpoint, change);
    requireHttps(next, '/url');
    return {
      answered: next,
      changes: [endpointTable.put(next, endpoint.version)],
      events: [tlsEntry(ports, ask, 'webhook.tls.changed', next)],
    };
  });
}

function withTls(ports: TlsPorts, former: WebhookEndpoint, change: TlsChange): WebhookEndpoint {
  const { caPem, clientCertificate, pendingKey, ...endpoint } = nextState(former);
  const now = ports.clock.now();
  const given = change.clientCertificate;
  const certificate =
    given === undefined
      ? clientCertificate
      : given && checkCertificate(ports.secrets, former, { ...given, now });
  const authority =
    change.caPem === undefined ? caPem : change.caPem && checkAuthority(change.caPem, now);
  // A key is used up by its certificate.
  const isUsed = certificate?.keySha256 === pendingKey?.keySha256;
  return {
    ...endpoint,
    updatedAt: now,
    ...(authority && { caPem: authority }),
    ...(certificate && { clientCertificate: certificate }),
    ...(pendingKey !== undefined && !isUsed && { pendingKey }),
  };
}

/** A request for a certificate, as it is handed to the authority that issues it. */
export interface RequestedCertificate {
  readonly endpointId: string;
  readonly requestPem: string;
}

/** Makes a key, which stays here, and replaces one that still waited. Throws `webhook-unknown`. */
export function requestCertificate(
  ports: TlsPorts,
  ask: ConfigureAsk<RequestedCertificate> & { readonly endpointId: string },
  subject: RequestSubject,
): Promise<RequestedCertificate> {
  return configure(ports, ask, async (before) => {
    const endpoint = await ports.signed.require(endpointIn(before, ask.endpointId));
    const { keyPem, requestPem } = makeCertificateRequest(subject, ports.random);
    const next: WebhookEndpoint = {
      ...nextState(endpoint),
      pendingKey: sealKey(ports.secrets, endpoint, keyPem),
      updatedAt: ports.clock.now(),
    };
    return {
      answered: { endpointId: ask.endpointId, requestPem },
      changes: [endpointTable.put(next, endpoint.version)],
      events: [tlsEntry(ports, ask, 'webhook.tls.requested', next)],
    };
  });
}

const tlsEntry = (
  ports: WebhookPorts,
  { actor, ip }: Asker,
  action: 'webhook.tls.changed' | 'webhook.tls.requested',
  endpoint: WebhookEndpoint,
): EventDraft => {
  const { caPem, clientCertificate, endpointId, pendingKey } = endpoint;
  return entry(ports, {
    action,
    actor,
    ...(ip !== undefined && { ip }),
    members: {
      ca_sha256: caPem === undefined ? null : sha256Hex(caPem),
      client_certificate_sha256: clientCertificate?.sha256 ?? null,
      pending_key_sha256: pendingKey?.keySha256 ?? null,
      ...heldTo(endpoint),
    },
    severity: 'NOTICE',
    target: endpointId,
  });
};
