/**
 * Webhooks in a worker: events of the bus become deliveries, and deliveries are sent. Any number of
 * workers do the same over one store.
 */
import type { PublicEvent, TenantId } from '#core/kernel';
import type { Handler, Subscriber } from '#core/reactions';
import { isProcessGone, startWorkLoop, type WorkLoop } from '#core/work';
import {
  createEndpointCache,
  createWebhookFigures,
  Dispatcher,
  disableFailing,
  EndpointHealth,
  fanOut,
  TallyFold,
  TenantTokens,
  tellOfCertificates,
  webhookSettings,
} from '#slices/webhooks';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import { createPartsApart } from '../../../workers/partsApart.ts';
import type { JobPurposes, RunningWork, SliceProcess, WorkerProcess } from '../../processes.ts';
import { createCallers } from '../callers.ts';
import { configurePorts } from './parts.ts';
import { replayRunner } from './replayWork.ts';

export const purposes: JobPurposes = {
  start: 'webhooks',
  'webhook-certificates': 'none',
  'webhook-figures': 'webhooks',
  'webhook-health': 'none',
  webhooks: 'webhooks',
};

const ALTERED = 'nothing is sent to a webhook endpoint that is not what was signed';
const POLL_MS = 200;
const HEALTH_EVERY_MS = 10 * 60_000;
const FIGURES_EVERY_MS = 5_000;
const CERTIFICATES_EVERY_MS = 60 * 60_000;

/** What a worker's two parts share: the one writes what the other sends. */
function sendingParts(process: WorkerProcess) {
  let loop: WorkLoop | undefined;
  const { log } = process;
  return {
    endpoints: createEndpointCache({
      ...process.once(configurePorts),
      onAltered: ({ tenantId }, reason) =>
        log.error({ code: 'state-altered', reason, tenant_id: tenantId }, ALTERED),
    }),
    started: (running: WorkLoop): void => {
      loop = running;
    },
    wake: (): void => loop?.wake(),
  };
}

async function keptArrivals(process: SliceProcess): Promise<ReadonlySet<string>> {
  const kept = (await process.publicEvents()).filter(({ keepsArrival }) => keepsArrival);
  return new Set(kept.map(({ name }) => name));
}

/** Handlers by topic: a topic may be told under several names. */
export async function subscribers(process: WorkerProcess): Promise<readonly Subscriber[]> {
  const { endpoints, wake } = process.once(sendingParts);
  const { secrets, tables } = process.once(configurePorts);
  const ports = { endpoints, means: process as SliceProcess, secrets, tables, wake };
  const on: Record<string, Handler> = {};
  const byTopic = Map.groupBy(await process.publicEvents(), ({ topic }) => topic);
  for (const [topic, events] of byTopic) {
    on[topic] = async (told) => {
      for (const event of events as readonly PublicEvent<SliceProcess>[]) {
        await fanOut(ports, event, told);
      }
    };
  }
  return [{ from: 'now', name: 'webhooks', on }, figuresSubscriber(process)];
}

/** Figures are counted from the chain by one worker at a time; no event needs to say so. */
function figuresSubscriber(process: WorkerProcess): Subscriber {
  const { clock, holder, storage } = process;
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const { audit, tables } = storage;
  const fold = new TallyFold({ audit, clock, holder, isGone, tables });
  return {
    from: 'now',
    name: 'webhook-figures',
    sweep: {
      after: [],
      everyMs: FIGURES_EVERY_MS,
      retryMs: FIGURES_EVERY_MS,
      run: async (signal) => void (await fold.sweep(signal)),
    },
  };
}

export function start(process: WorkerProcess): RunningWork {
  const { clock, holder, limiter, log, metrics, tenants } = process;
  const parts = process.once(sendingParts);
  const ports = process.once(configurePorts);
  const onFailure = (error: unknown): void => log.warn({ error }, 'webhooks wait for the store');
  const figures = createWebhookFigures(metrics, ports);
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const perSecondOf = async (tenantId: TenantId): Promise<number> =>
    (await tenants.settings(tenantId)).of(webhookSettings).perSecond;
  const health = new EndpointHealth({ ...ports, onFailure });
  const { proxyUrl } = process.config.webhooks;
  const callers = createCallers({
    ...ports,
    ...(proxyUrl !== undefined && { proxyUrl }),
    isSandbox: async (tenantId) => (await tenants.find(tenantId))?.kind === 'sandbox',
  });
  const dispatcher = new Dispatcher({
    ...ports,
    callerOf: callers.callerOf,
    clock,
    endpoints: parts.endpoints,
    health,
    holder,
    isGone,
    keptArrivals: () => process.once(keptArrivals),
    limiter,
    onAttempt: (judged) => figures.attempted(judged),
    onFailure,
    perSecondOf,
  });
  const replays = replayRunner(
    {
      ...ports,
      perSecondOf,
      tokens: new TenantTokens(limiter, clock, 'replays'),
      wake: () => loop.wake(),
    },
    { clock, holder, isGone, log },
  );
  const loop = startWorkLoop({
    look: async () => {
      await replays.look();
      await dispatcher.look();
    },
    onFailure,
    pollMs: POLL_MS,
    runners: [dispatcher, replays.runner],
  });
  dispatcher.onFree = () => loop.wake();
  parts.started(loop);
  return {
    async stop() {
      await loop.close();
      await health.close();
      await callers.close();
    },
    wake: () => loop.wake(),
  };
}

export const scheduled = (process: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: HEALTH_EVERY_MS,
    name: 'webhook-health',
    run: async () => {
      const perTenant = process.once(createPartsApart)('webhook-health');
      return { disabled: await disableFailing(process.once(configurePorts), perTenant) };
    },
  },
  {
    everyMs: CERTIFICATES_EVERY_MS,
    name: 'webhook-certificates',
    run: async () => {
      const perTenant = process.once(createPartsApart)('webhook-certificates');
      return { told: await tellOfCertificates(process.once(configurePorts), perTenant) };
    },
  },
];
