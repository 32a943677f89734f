/**
 * Notifications in a worker: events of webhooks become conditions and notices, and messages are
 * sent where a mail server or a hook is configured. Any number of workers do the same over one
 * store.
 */
import { DomainError } from '#core/kernel';
import type { Handler, Subscriber } from '#core/reactions';
import { isProcessGone, LeasedRunner, Room, startWorkLoop, type WorkLoop } from '#core/work';
import {
  closeWhatIsOver,
  createSendFigures,
  dueMessages,
  messageWork,
  NEWS_TOPICS,
  onAlertsAltered,
  onAlertsRestored,
  onApprovalAwaited,
  onApprovalDecided,
  onApprovalLate,
  onCertificateExpiring,
  onChainAcknowledged,
  onChainBroken,
  onFailed,
  onFailing,
  onFormEnding,
  onNews,
  onPrivacyReminder,
  onRecovered,
  onReplayDifferent,
  onReplaySettled,
  onRescreened,
  onRescreeningDifferent,
  onRescreeningLate,
  SendFault,
  type SendPorts,
} from '#slices/notifications';
import { createPartsApart } from '../../../workers/partsApart.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { noticePortsOf } from './parts.ts';

export const purposes: JobPurposes = { notifications: 'none', start: 'none' };

const POLL_MS = 1_000;
const SWEEP_EVERY_MS = 30_000;
const SWEEP_RETRY_MS = 5_000;

/** What a worker's two parts share: the one writes what the other sends. */
function wakeUps() {
  let loop: WorkLoop | undefined;
  return {
    started: (running: WorkLoop): void => {
      loop = running;
    },
    wake: (): void => loop?.wake(),
  };
}

export function subscribers(process: WorkerProcess): readonly Subscriber[] {
  const ports = noticePortsOf(process, process.once(wakeUps).wake);
  const news: Handler = (event) => onNews(ports, event);
  return [
    {
      from: 'now',
      name: 'notifications',
      on: {
        'aml.alerts.altered': (event) => onAlertsAltered(ports, event),
        'aml.alerts.restored': (event) => onAlertsRestored(ports, event),
        'privacy.request.reminder': (event) => onPrivacyReminder(ports, event),
        'risk.approval.awaited': (event) => onApprovalAwaited(ports, event),
        'risk.approval.decided': (event) => onApprovalDecided(ports, event),
        'risk.approval.late': (event) => onApprovalLate(ports, event),
        'sanctions.chain.acknowledged': (event) => onChainAcknowledged(ports, event),
        'sanctions.chain.broken': (event) => onChainBroken(ports, event),
        'sanctions.replay.different': (event) => onReplayDifferent(ports, event),
        'sanctions.replay.settled': (event) => onReplaySettled(ports, event),
        'sanctions.rescreening.completed': (event) => onRescreened(ports, event),
        'sanctions.rescreening.different': (event) => onRescreeningDifferent(ports, event),
        'sanctions.rescreening.late': (event) => onRescreeningLate(ports, event),
        'tcr.form.ending': (event) => onFormEnding(ports, event),
        'webhooks.certificate.expiring': (event) => onCertificateExpiring(ports, event),
        'webhooks.delivery.failed': (event) => onFailed(ports, event),
        'webhooks.endpoint.failing': (event) => onFailing(ports, event),
        'webhooks.endpoint.recovered': (event) => onRecovered(ports, event),
        ...Object.fromEntries(NEWS_TOPICS.map((topic) => [topic, news])),
      },
      sweep: {
        after: [],
        everyMs: SWEEP_EVERY_MS,
        retryMs: SWEEP_RETRY_MS,
        run: (signal) =>
          closeWhatIsOver(ports, signal, process.once(createPartsApart)('notifications')),
      },
    },
  ];
}

/** A short word of a failure, by which the plan decides. */
export const sendCodeOf = (error: unknown): string =>
  error instanceof SendFault || error instanceof DomainError ? error.code : 'internal';

export async function start(process: WorkerProcess): Promise<RunningWork> {
  const { clock, commit, config, holder, identity, log, metrics, random, storage } = process;
  const { operations, smtp } = config.notices;
  const { hookUrl, mails } = operations;
  // Loaded where they are configured, alone.
  const hook = hookUrl && (await import('../operatorHook.ts')).createOperatorHook(hookUrl);
  const mailer = smtp && (await import('../smtpMailer.ts')).createSmtpMailer(smtp);
  const ports: SendPorts = {
    clock,
    codeOf: sendCodeOf,
    commit,
    hook: hook || undefined,
    mailer,
    onEnded: createSendFigures(metrics),
    operationsMails: mails,
    personOf: (tenantId, personId) => identity.findPerson(tenantId, personId),
    random,
    tables: storage.tables,
  };
  const loop = startSending(ports, {
    holder,
    isGone: (other) => isProcessGone(other, holder),
    log,
  });
  process.once(wakeUps).started(loop);
  return {
    async stop() {
      await loop.close();
      mailer?.close();
      await ports.hook?.close();
    },
    wake: () => loop.wake(),
  };
}

/** The loop that sends what is due. */
export function startSending(
  ports: SendPorts,
  process: Pick<WorkerProcess, 'holder' | 'log'> & {
    readonly isGone?: (holder: string) => boolean;
    readonly pollMs?: number;
  },
): WorkLoop {
  const { clock, tables } = ports;
  const { log, pollMs = POLL_MS } = process;
  const runner = new LeasedRunner(messageWork(ports), {
    ...process,
    clock,
    room: new Room(),
    tables,
  });
  return startWorkLoop({
    look: async () => runner.offer(await dueMessages(ports)),
    onFailure: (error) => log.warn({ error }, 'messages wait for the store'),
    pollMs,
    runners: [runner],
  });
}
