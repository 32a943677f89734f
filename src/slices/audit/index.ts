/** Surface of the slice: who may read the evidence. The evidence itself is core's. */
export * from './asks.ts';
export { roles as auditRoles } from './roles.ts';
