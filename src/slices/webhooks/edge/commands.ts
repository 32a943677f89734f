/** Noun `webhook` of the command line: what the API offers, on the store itself. */
import { CATALOGS, type Catalog, DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  countAnew,
  DELIVERY_STATUSES,
  failuresOf,
  lastReplays,
  readConfiguration,
  readDeliveries,
  registerEndpoint,
  replayDelivery,
  rotateSecret,
  type WebhookEndpoint,
} from '#slices/webhooks';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { ENDPOINT, ownerOf, TENANT, tenantOf } from './commandOptions.ts';
import { listenCommand } from './listenCommand.ts';
import { configurePorts } from './parts.ts';
import { presentDelivery, presentEndpoint, presentReplay, presentSecret } from './presentation.ts';
import { tlsCommands } from './tlsCommands.ts';

const SHOWN_DELIVERIES = 50;
const SHOWN_REPLAYS = 20;

export { checks } from './stateChecks.ts';

export const commands: readonly SliceCommand[] = [
  {
    words: 'webhook add',
    summary: 'Register an endpoint; its secret is printed this once',
    options: [
      TENANT,
      { name: 'url', value: 'URL', required: true, help: 'https, and an address of the internet' },
      { name: 'event', value: 'NAME', repeatable: true, help: 'an event; without one, all' },
      { name: 'catalog', value: 'A|B', help: 'which names it gets (default A)' },
      { name: 'description', value: 'TEXT', help: 'tells it from the others' },
    ],
    example: 'webhook add --url https://hooks.example.com/compliance --event aml.batch.completed',
    async run({ actor, clock, open, output }, given) {
      const process = await open();
      const tenant = await tenantOf(process, given.optional('tenant'));
      const events = given.all('event');
      const { endpoint, secret } = await registerEndpoint(
        process.once(configurePorts),
        { actor, owner: ownerOf(tenant) },
        {
          catalog: catalogOf(given.optional('catalog')),
          description: given.optional('description') ?? '',
          events: events.length === 0 ? ['*'] : events,
          isEnabled: true,
          url: given.value('url'),
        },
      );
      output.result(
        { endpoint: presentEndpoint(endpoint, clock.now()), secret },
        `endpoint ${endpoint.endpointId}\nsecret   ${secret}\nThe secret is not shown again.`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'webhook list',
    summary: "Show a tenant's endpoints",
    options: [TENANT],
    example: 'webhook list --tenant 0190…',
    async run({ clock, open, output }, given) {
      const process = await open();
      const { id } = await tenantOf(process, given.optional('tenant'));
      const { endpoints } = await readConfiguration(process.once(configurePorts), id);
      output.result(
        { endpoints: endpoints.map((endpoint) => presentEndpoint(endpoint, clock.now())) },
        table(['ENDPOINT', 'URL', 'CATALOG', 'EVENTS', 'STATE', 'FAILURES'], endpoints.map(rowOf)),
      );
      return EXIT.done;
    },
  },
  {
    words: 'webhook rotate',
    summary: 'Make a new secret; the former one holds for another day',
    options: [
      TENANT,
      ENDPOINT,
      { name: 'revoke-previous', help: 'the former one ends at once: it has leaked' },
    ],
    example: 'webhook rotate --endpoint 0190… --revoke-previous',
    async run({ actor, open, output }, given) {
      const process = await open();
      const tenant = await tenantOf(process, given.optional('tenant'));
      const endpointId = given.optional('endpoint');
      const shown = await rotateSecret(process.once(configurePorts), {
        actor,
        isRevoking: given.isSet('revoke-previous'),
        owner: ownerOf(tenant),
        ...(endpointId !== undefined && { endpointId }),
      });
      output.result(presentSecret(shown), `endpoint ${shown.endpointId}\nsecret   ${shown.secret}`);
      return EXIT.done;
    },
  },
  {
    words: 'webhook deliveries',
    summary: `Show the last ${SHOWN_DELIVERIES} deliveries`,
    options: [TENANT, ENDPOINT, { name: 'status', value: 'S', help: DELIVERY_STATUSES.join(', ') }],
    example: 'webhook deliveries --status FAILED',
    async run({ open, output }, given) {
      const process = await open();
      const { id } = await tenantOf(process, given.optional('tenant'));
      const { deliveries } = await readDeliveries(process.once(configurePorts), {
        seesConfidential: true,
        ...filtersOf(given),
        limit: SHOWN_DELIVERIES,
        tenantId: id,
      });
      const rows = deliveries.map((delivery) => [
        delivery.deliveryId,
        toTimestamp(delivery.createdAt),
        delivery.eventType,
        delivery.status,
        String(delivery.deliveryAttempt),
        String(delivery.lastResponseCode ?? '–'),
        delivery.failureReason ?? '',
      ]);
      output.result(
        { deliveries: deliveries.map(presentDelivery) },
        table(['DELIVERY', 'CREATED', 'EVENT', 'STATUS', 'ATTEMPTS', 'ANSWER', 'REASON'], rows),
      );
      return EXIT.done;
    },
  },
  {
    words: 'webhook replay',
    summary: 'Send a delivery again: the same event, bytes and key',
    positionals: [{ name: 'DELIVERY', help: 'an id, of `webhook deliveries`' }],
    options: [TENANT, { name: 'force', help: 'with a key of its own' }],
    example: 'webhook replay 019a0b2c-7d4e-7000-8000-000000000000',
    async run({ actor, open, output }, given) {
      const process = await open();
      const { id: tenantId } = await tenantOf(process, given.optional('tenant'));
      const delivery = await replayDelivery(process.once(configurePorts), {
        seesConfidential: true,
        actor,
        deliveryId: given.positionals[0] ?? '',
        isForced: given.isSet('force'),
        tenantId,
      });
      await process.wake('webhooks', delivery.deliveryId);
      output.result(presentDelivery(delivery), `delivery ${delivery.deliveryId} is on its way`);
      return EXIT.done;
    },
  },
  {
    words: 'webhook replays',
    summary: `Show the last ${SHOWN_REPLAYS} orders of many replays, and how far they are`,
    options: [TENANT],
    example: 'webhook replays --tenant 0190…',
    async run({ open, output }, given) {
      const process = await open();
      const { id: tenantId } = await tenantOf(process, given.optional('tenant'));
      const ports = process.once(configurePorts);
      const jobs = await lastReplays(ports, { limit: SHOWN_REPLAYS, tenantId });
      const rows = jobs.map((job) => [
        job.replayJobId,
        toTimestamp(job.createdAt),
        job.state,
        job.failure ?? '',
        String(job.count),
        String(job.examined),
      ]);
      output.result(
        { replays: jobs.map(presentReplay) },
        table(['ORDER', 'CREATED', 'STATUS', 'FAILURE', 'SENT', 'EXAMINED'], rows),
      );
      return EXIT.done;
    },
  },
  {
    words: 'webhook recount',
    summary: 'Have the figures of deliveries counted anew, from the chain alone',
    options: [TENANT],
    example: 'webhook recount --tenant 0190…',
    async run({ open, output }, given) {
      const process = await open();
      const { id: tenantId } = await tenantOf(process, given.optional('tenant'));
      const { holder, storage } = process;
      const isBegun = await countAnew({ holder, tables: storage.tables }, tenantId);
      if (!isBegun) throw new DomainError('state-conflict', { detail: 'a worker is counting' });
      output.result({ tenant_id: tenantId }, 'a worker counts them anew, from the first entry on');
      return EXIT.done;
    },
  },
  ...tlsCommands,
  listenCommand,
];

function catalogOf(text: string | undefined): Catalog {
  const catalog = CATALOGS.find((one) => one === (text ?? 'A'));
  if (catalog === undefined) throw new UsageError(`--catalog: expected ${CATALOGS.join(' or ')}`);
  return catalog;
}

function filtersOf(given: Given) {
  const endpointId = given.optional('endpoint');
  const text = given.optional('status');
  const status = DELIVERY_STATUSES.find((one) => one === text);
  if (text !== undefined && status === undefined) {
    throw new UsageError(`--status: expected ${DELIVERY_STATUSES.join(', ')}`);
  }
  return {
    ...(endpointId !== undefined && { endpointId }),
    ...(status !== undefined && { status }),
  };
}

const rowOf = (endpoint: WebhookEndpoint): string[] => [
  endpoint.endpointId,
  endpoint.url,
  endpoint.catalog,
  endpoint.events.join(' '),
  endpoint.disabledReason ?? 'enabled',
  String(failuresOf(endpoint).failures),
];
