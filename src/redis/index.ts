/**
 * Redis: connections, the child that we start ourselves, rate limits, the bus. The words to workers
 * (wakeUpQueue.ts) stand beside: BullMQ is loaded by those alone who need it.
 */
export * from './busPublisher.ts';
export * from './connection.ts';
export * from './ownServer.ts';
export * from './rateLimiter.ts';
