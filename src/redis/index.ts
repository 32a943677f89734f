/** Redis: connections, the child that we start ourselves, rate limits, the bus. */
export * from './connection.ts';
export * from './rateLimiter.ts';
