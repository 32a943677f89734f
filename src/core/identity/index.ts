/** Tenants, API keys, persons and roles: who may call, for which tenant, in which role. */
export * from './apiKeyFormat.ts';
export * from './apiKeys.ts';
export * from './approvable.ts';
export * from './dualControl.ts';
export * from './freshCache.ts';
export * from './oidcVerifier.ts';
export * from './persons.ts';
export * from './ports.ts';
export * from './rateLimits.ts';
export * from './roles.ts';
export * from './settingDefaults.ts';
export * from './settingGroup.ts';
export * from './settingKinds.ts';
export * from './settings.ts';
export * from './settingsTable.ts';
export * from './storeFailure.ts';
export * from './tenants.ts';
