/**
 * Redis: connections, the server that we start ourselves, rate limits, the bus. The wake-ups for
 * workers (wakeUpQueue.ts) are not exported here, so only processes that need BullMQ load it.
 */
export * from './busPublisher.ts';
export * from './connection.ts';
export * from './localBuckets.ts';
export * from './outboxWakeUps.ts';
export * from './ownServer.ts';
export * from './rateLimiter.ts';
