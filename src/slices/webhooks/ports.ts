/** What the rules of webhooks need: store, evidence, secrets, and the guard of addresses. */
import type { CommitEvidence } from '#core/audit';
import type { Catalog, PublicEvent, Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { OutboundGuard } from '#platform/outbound/outboundGuard';
import type { Random } from '#platform/random';
import type { SecretBox } from '#platform/secretBox';
import type { SignedEndpoints } from './signedEndpoints.ts';

/** What reads and commits. */
export interface WebhookPorts {
  readonly tables: Tables;
  readonly commit: CommitEvidence;
  readonly clock: Clock;
  readonly random: Random;
  readonly signed: SignedEndpoints;
}

/** A public event without what makes its data: all that a catalogue shows. */
export type EventType = Omit<
  PublicEvent<never>,
  'about' | 'audience' | 'dataOf' | 'keepsArrival' | 'topic'
>;

/** What registers and changes endpoints. */
export interface ConfigurePorts extends WebhookPorts {
  readonly secrets: SecretBox;
  readonly guards: EndpointGuards;
  readonly eventTypes: () => Promise<readonly EventType[]>;
}

/** The guards of one installation. */
export interface EndpointGuards {
  /** For tenants' endpoints: the public internet, and the operator's subnets. */
  readonly common: OutboundGuard;
  /** For sandbox tenants of an installation on loopback: this machine too. Absent elsewhere. */
  readonly loopback?: OutboundGuard;
}

/** The tenant of an endpoint, as its guard depends on it. */
export interface EndpointOwner {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
}

/** Names that endpoints of a catalogue may choose. */
export const namesIn = (types: readonly EventType[], catalog: Catalog): ReadonlySet<string> =>
  new Set(types.filter(({ catalogs }) => catalogs.includes(catalog)).map(({ name }) => name));
