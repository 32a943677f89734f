/**
 * Approvals: a change under dual control is asked for by one person and signed by another (decision
 * 8.6). What can be asked for is declared by the slices that own it. Read in this order: tables,
 * request → askForChange → signRequest, requestProof → endRequest, inbox.
 */
export * from './askForChange.ts';
export * from './endRequest.ts';
export * from './inbox.ts';
export * from './limits.ts';
export * from './ports.ts';
export * from './request.ts';
export * from './requestProof.ts';
export * from './signRequest.ts';
export * from './tables.ts';
