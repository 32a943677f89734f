/**
 * The composition root: the only place, beside the main.ts files, that sees every folder. Ports are
 * joined to adapters in src/app, by constructors: `openInstallation` is what every process needs,
 * each of the others what some of them add to it.
 */
export { type BatchParts, openBatches } from './app/batchWork.ts';
export { type GatewayParts, openGateway } from './app/gateway.ts';
export { type Installation, openInstallation } from './app/installation.ts';
export { importPorts, openRuns, type RunParts } from './app/listRuns.ts';
export { openScreening, type ScreeningParts } from './app/screening.ts';
