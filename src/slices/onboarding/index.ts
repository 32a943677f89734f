/**
 * Onboarding sessions. Read in this order: limits, tables → sessionToken, signedSessions, ports →
 * openSession, freshLink, regenerateLink → callingSession, viewSession, demoOnboarding.
 */
export * from './callingSession.ts';
export * from './demoOnboarding.ts';
export * from './freshLink.ts';
export * from './limits.ts';
export * from './openSession.ts';
export * from './ports.ts';
export * from './regenerateLink.ts';
export * from './sessionToken.ts';
export { settings as onboardingSettings } from './settings.ts';
export * from './signedSessions.ts';
export * from './tables.ts';
export * from './viewSession.ts';
