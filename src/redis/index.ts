/** Redis: connections, the child that we start ourselves, rate limits, the bus. */
export * from './batchQueue.ts';
export * from './busPublisher.ts';
export * from './connection.ts';
export * from './ownServer.ts';
export * from './rateLimiter.ts';
