/**
 * Endpoints as a tenant configures them (W1 to W3). Every change moves the tenant's configuration
 * by one version in the same commit, so changes take turns, and a page that was read before
 * another change is refused by its ETag.
 */
import { type Asker, type EventDraft, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import {
  type BusEvent,
  type Catalog,
  chainOf,
  DomainError,
  type TableChange,
  type TenantId,
} from '#core/kernel';
import { uuidV7 } from '#platform/random';
import { closed } from './closed.ts';
import { requireHttps, requireUrl } from './endpointUrl.ts';
import { ENDPOINTS_MAX } from './limits.ts';
import { type ConfigurePorts, type EndpointOwner, namesIn, type WebhookPorts } from './ports.ts';
import { makeSecret } from './secrets.ts';
import { heldTo } from './signedEndpoints.ts';
import {
  configurationTable,
  endpointTable,
  type WebhookConfiguration,
  type WebhookEndpoint,
} from './tables.ts';

/** What a person chooses of an endpoint. */
export interface EndpointChoice {
  readonly url: string;
  readonly events: readonly string[];
  readonly catalog: Catalog;
  readonly description: string;
  readonly isEnabled: boolean;
}

/** Who asks for a change, of which version of the configuration, and under which key. */
export interface ConfigureAsk<Answered> extends Asker {
  readonly owner: EndpointOwner;
  /** Throws `precondition-failed` where the caller has read another version. */
  readonly checkVersion?: (version: number) => void;
  readonly idempotency?: (answered: Answered) => IdempotencyRecord;
}

/** The endpoints of a tenant, oldest first, and the version of all of them. */
export interface Configuration {
  readonly version: number;
  readonly endpoints: readonly WebhookEndpoint[];
}

/** A registered endpoint, with its secret as it is shown once. */
export interface Registered {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** What a change of the configuration comes to. */
interface Step<Answered> {
  readonly answered: Answered;
  readonly changes: readonly TableChange[];
  readonly events: readonly EventDraft[];
  readonly bus?: readonly BusEvent[];
}

export async function readConfiguration(
  { tables }: Pick<WebhookPorts, 'tables'>,
  tenantId: TenantId,
): Promise<Configuration> {
  // Read before the endpoints: a change between the two reads shows as an older version.
  const found = await tables.find(configurationTable, { of: 'endpoints', tenantId });
  const page = await tables.page(endpointTable, {
    equal: { tenantId },
    index: 'key',
    limit: ENDPOINTS_MAX,
  });
  return { endpoints: page.records, version: found?.version ?? 0 };
}

/** Throws `webhook-unknown`. */
export async function findEndpoint(
  { tables }: Pick<WebhookPorts, 'tables'>,
  place: Pick<WebhookEndpoint, 'endpointId' | 'tenantId'>,
): Promise<WebhookEndpoint> {
  const { endpointId, tenantId } = place;
  const found = await tables.find(endpointTable, { endpointId, tenantId });
  if (found === undefined) throw new DomainError('webhook-unknown');
  return found;
}

/** Throws `webhook-url-refused`, `event-unknown`, `webhook-limit`, `webhook-taken`. */
export async function registerEndpoint(
  ports: ConfigurePorts,
  ask: ConfigureAsk<Registered>,
  choice: EndpointChoice,
): Promise<Registered> {
  const checked = await checkChoice(ports, ask.owner, choice, '');
  return configure(ports, ask, async (before) => addition(ports, ask, before, checked));
}

/** Throws as registration does, and `webhook-unknown`. */
export async function changeEndpoint(
  ports: ConfigurePorts,
  ask: ConfigureAsk<WebhookEndpoint> & { readonly endpointId: string },
  change: Partial<EndpointChoice>,
): Promise<WebhookEndpoint> {
  const checked = await checkParts(ports, ask, change);
  return configure(ports, ask, async (before) => {
    const endpoint = await ports.signed.require(endpointIn(before, ask.endpointId));
    const next = changed(ports, endpoint, { ...choiceOf(endpoint), ...checked });
    requireHttps(next, '/url');
    refuseTaken(before, next);
    return replacement(ports, ask, endpoint, next);
  });
}

/** What has not been sent to it yet fails, as soon as a worker looks at it. */
export async function removeEndpoint(
  ports: WebhookPorts,
  ask: ConfigureAsk<WebhookEndpoint> & { readonly endpointId: string },
): Promise<WebhookEndpoint> {
  return configure(ports, ask, async (before) => {
    const endpoint = endpointIn(before, ask.endpointId);
    return { answered: endpoint, ...removal(ports, ask, endpoint) };
  });
}

/** The new state of one endpoint. `undefined` as id: it is to be made. */
export interface DesiredEndpoint extends EndpointChoice {
  readonly endpointId?: string;
}

/** The whole configuration as it is now, with the secrets of endpoints that were made. */
export interface Replaced extends Configuration {
  readonly secrets: ReadonlyMap<string, string>;
}

/** Replaces all: what is left out is removed. Throws as registration does, and `body-invalid`. */
export async function replaceConfiguration(
  ports: ConfigurePorts,
  ask: ConfigureAsk<Replaced>,
  desired: readonly DesiredEndpoint[],
): Promise<Replaced> {
  if (desired.length > ENDPOINTS_MAX) throw new DomainError('webhook-limit');
  refuseTwice(desired);
  const checked = await Promise.all(
    desired.map(async (one, place) => ({
      ...one,
      ...(await checkChoice(ports, ask.owner, one, `/endpoints/${place}`)),
    })),
  );
  return configure(ports, ask, (before) => replacing(ports, ask, before, checked));
}

async function replacing(
  ports: ConfigurePorts,
  ask: ConfigureAsk<Replaced>,
  before: Configuration,
  desired: readonly DesiredEndpoint[],
): Promise<Step<Replaced>> {
  const kept = new Set(desired.flatMap(({ endpointId }) => endpointId ?? []));
  const left = before.endpoints.filter(({ endpointId }) => !kept.has(endpointId));
  const endpoints: WebhookEndpoint[] = [];
  const secrets = new Map<string, string>();
  // Removed first: the next may take their places.
  const steps: Omit<Step<unknown>, 'answered'>[] = left.map((one) => removal(ports, ask, one));
  for (const [place, { endpointId, ...choice }] of desired.entries()) {
    const known = { endpoints, version: before.version };
    if (endpointId === undefined) {
      const step = addition(ports, ask, known, choice);
      endpoints.push(step.answered.endpoint);
      secrets.set(step.answered.endpoint.endpointId, step.answered.secret);
      steps.push(step);
    } else {
      const former = await ports.signed.require(endpointIn(before, endpointId));
      const next = changed(ports, former, choice);
      requireHttps(next, `/endpoints/${place}/url`);
      refuseTaken(known, next);
      endpoints.push(next);
      steps.push(replacement(ports, ask, former, next));
    }
  }
  return {
    answered: { endpoints, secrets, version: before.version + 1 },
    changes: steps.flatMap(({ changes }) => changes),
    events: steps.flatMap(({ events }) => events),
  };
}

/** One change in one commit: read, decided and written, again if another one was first. */
export function configure<Answered>(
  ports: WebhookPorts,
  ask: ConfigureAsk<Answered>,
  step: (before: Configuration) => Promise<Step<Answered>>,
): Promise<Answered> {
  const { tenantId } = ask.owner;
  return overwrite(async () => {
    const before = await readConfiguration(ports, tenantId);
    ask.checkVersion?.(before.version);
    const { answered, bus = [], changes, events } = await step(before);
    const next: WebhookConfiguration = {
      of: 'endpoints',
      tenantId,
      version: before.version + 1,
    };
    const { idempotency } = ask;
    await ports.commit(chainOf(tenantId), {
      bus,
      changes: [configurationTable.put(next, before.version), ...changes],
      events,
      ...(idempotency !== undefined && { idempotency: () => idempotency(answered) }),
    });
    return answered;
  });
}

function addition(
  ports: ConfigurePorts,
  ask: ConfigureAsk<never> | ConfigureAsk<Registered> | ConfigureAsk<Replaced>,
  before: Configuration,
  choice: EndpointChoice,
): Step<Registered> {
  if (before.endpoints.length >= ENDPOINTS_MAX) throw new DomainError('webhook-limit');
  const { clock, random } = ports;
  const now = clock.now();
  const place = { endpointId: uuidV7(now, random), tenantId: ask.owner.tenantId };
  const { stored, text } = makeSecret(ports, place, { createdAt: now, secretVersion: 1 });
  const endpoint: WebhookEndpoint = {
    ...place,
    ...recordOf(choice),
    createdAt: now,
    generation: 1,
    isRevealable: false,
    secrets: [stored],
    updatedAt: now,
    version: 1,
  };
  refuseTaken(before, endpoint);
  return {
    answered: { endpoint, secret: text },
    changes: [endpointTable.insert(endpoint)],
    events: [endpointEntry(ports, ask, 'webhook.endpoint.created', endpoint)],
  };
}

function changed(
  { clock }: WebhookPorts,
  former: WebhookEndpoint,
  choice: EndpointChoice,
): WebhookEndpoint {
  const { disabledReason, disablingToldAt, movedToldAt, ...endpoint } = former;
  const isEnabledAgain = disabledReason !== undefined && choice.isEnabled;
  const isMoved = choice.url !== former.url;
  return {
    ...nextState(isMoved ? closed(endpoint) : endpoint),
    ...recordOf(choice),
    // What was told is told anew of another address, and of another 120 hours.
    ...(movedToldAt !== undefined && !isMoved && { movedToldAt }),
    ...(disablingToldAt !== undefined && !isEnabledAgain && { disablingToldAt }),
    ...(isEnabledAgain && { enabledAt: clock.now() }),
    updatedAt: clock.now(),
  };
}

/** The endpoint, one change on. */
export const nextState = <Of extends Pick<WebhookEndpoint, 'generation' | 'version'>>(
  endpoint: Of,
): Of => ({ ...endpoint, generation: endpoint.generation + 1, version: endpoint.version + 1 });

const replacement = (
  ports: WebhookPorts,
  ask: Asker,
  former: WebhookEndpoint,
  next: WebhookEndpoint,
): Step<WebhookEndpoint> => ({
  answered: next,
  changes: [endpointTable.put(next, former.version)],
  events: [endpointEntry(ports, ask, 'webhook.endpoint.changed', next)],
});

const removal = (ports: WebhookPorts, ask: Asker, endpoint: WebhookEndpoint) => {
  const { endpointId, tenantId, version } = endpoint;
  return {
    changes: [endpointTable.remove({ endpointId, tenantId }, version)],
    events: [endpointEntry(ports, ask, 'webhook.endpoint.removed', endpoint)],
  };
};

/** Its choices and digest, and no secret. */
export function endpointEntry(
  ports: WebhookPorts,
  { actor, ip }: Asker,
  action: `webhook.endpoint.${'changed' | 'created' | 'removed'}`,
  endpoint: WebhookEndpoint,
): EventDraft {
  const { catalog, disabledReason, endpointId, events, url } = endpoint;
  const held = heldTo(action === 'webhook.endpoint.removed' ? undefined : endpoint);
  return entry(ports, {
    action,
    actor,
    ...(ip !== undefined && { ip }),
    members: { catalog, disabled_reason: disabledReason ?? null, events, url, ...held },
    target: endpointId,
  });
}

const recordOf = ({ isEnabled, ...choice }: EndpointChoice) => ({
  ...choice,
  ...(!isEnabled && { disabledReason: 'manual' as const }),
});

const choiceOf = (endpoint: WebhookEndpoint): EndpointChoice => {
  const { catalog, description, disabledReason, events, url } = endpoint;
  return { catalog, description, events, isEnabled: disabledReason === undefined, url };
};

/** Throws `webhook-unknown`. */
export function endpointIn({ endpoints }: Configuration, endpointId: string): WebhookEndpoint {
  const found = endpoints.find((one) => one.endpointId === endpointId);
  if (found === undefined) throw new DomainError('webhook-unknown');
  return found;
}

function refuseTaken({ endpoints }: Configuration, next: WebhookEndpoint): void {
  const isTaken = endpoints.some(
    ({ catalog, endpointId, url }) =>
      endpointId !== next.endpointId && catalog === next.catalog && url === next.url,
  );
  if (isTaken) throw new DomainError('webhook-taken');
}

/** Throws `body-invalid` where an endpoint is named twice. */
function refuseTwice(desired: readonly DesiredEndpoint[]): void {
  const named = desired.map(({ endpointId }) => endpointId);
  const twice = named.flatMap((id, place) =>
    id !== undefined && named.indexOf(id) < place ? [place] : [],
  );
  if (twice.length === 0) return;
  const detail = 'expected each endpoint once';
  throw new DomainError('body-invalid', {
    detail,
    violations: twice.map((place) => ({
      code: 'repeated',
      detail,
      pointer: `/endpoints/${place}/endpoint_id`,
    })),
  });
}

/** The choice with its URL in its one spelling. */
async function checkChoice(
  ports: ConfigurePorts,
  { sandbox }: EndpointOwner,
  choice: EndpointChoice,
  pointer: string,
): Promise<EndpointChoice> {
  const { catalog, description, events, isEnabled, url } = choice;
  await requireEvents(ports, { catalog, events, pointer: `${pointer}/events` });
  const ask = { isSandbox: sandbox, pointer: `${pointer}/url` };
  const spelt = await requireUrl(ports.guards, url, ask);
  return { catalog, description, events, isEnabled, url: spelt };
}

async function checkParts(
  ports: ConfigurePorts,
  ask: ConfigureAsk<WebhookEndpoint> & { readonly endpointId: string },
  change: Partial<EndpointChoice>,
): Promise<Partial<EndpointChoice>> {
  const { endpointId, owner } = ask;
  const before = await findEndpoint(ports, { endpointId, tenantId: owner.tenantId });
  const { catalog, events, isEnabled, url } = { ...choiceOf(before), ...change };
  await requireEvents(ports, { catalog, events, pointer: '/events' });
  // An address that was good once is looked at again before anything is sent to it anew.
  const isLookedAt = change.url !== undefined || (isEnabled && before.disabledReason !== undefined);
  const isSandbox = owner.sandbox;
  const spelt = isLookedAt && (await requireUrl(ports.guards, url, { isSandbox, pointer: '/url' }));
  return { ...change, ...(spelt !== false && { url: spelt }) };
}

async function requireEvents(
  ports: ConfigurePorts,
  of: Pick<EndpointChoice, 'catalog' | 'events'> & { readonly pointer: string },
): Promise<void> {
  const { catalog, events, pointer } = of;
  if (events.length === 1 && events[0] === '*') return;
  const known = namesIn(await ports.eventTypes(), catalog);
  const unknown = events.flatMap((name, place) => (known.has(name) ? [] : [place]));
  if (unknown.length === 0) return;
  const detail = `expected a name of catalogue ${catalog}, or * alone`;
  throw new DomainError('event-unknown', {
    detail,
    violations: unknown.map((place) => ({
      code: 'unknown',
      detail,
      pointer: `${pointer}/${place}`,
    })),
  });
}
