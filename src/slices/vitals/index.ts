/**
 * The state of an installation. Read in this order: tables, codes → heartbeat → lookAtCluster,
 * clusterHealth → lookOut → watch.
 */
export * from './clusterHealth.ts';
export * from './codes.ts';
export * from './heartbeat.ts';
export * from './limits.ts';
export * from './lookAtCluster.ts';
export * from './lookOut.ts';
export * from './ports.ts';
export * from './tables.ts';
export * from './watch.ts';
