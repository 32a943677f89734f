/** Who tells the workers of a process's commits. */
import type { Redis } from 'ioredis';
import type { AuditLogOptions } from '#core/audit';
import type { Log } from '#platform/log';
import { createOutboxWaker } from '../redis/index.ts';

/** What is lost costs the time until the workers' next look. */
export const outboxWaker = (redis: Redis, log: Log): NonNullable<AuditLogOptions['onBus']> =>
  createOutboxWaker({
    onFailure: (error) => log.debug({ error }, 'a wake-up of the workers was lost'),
    redis,
  }).committed;
