/**
 * The console's sign-in. Read in this order: limits, tables → secretText, signedLogins, ports →
 * localLogin, sandboxPersons, makeLink → openLogin, signIn → provider, providerLogin →
 * callingLogin, stepUp, endLogin → signInByProvider.
 */
export * from './callingLogin.ts';
export * from './endLogin.ts';
export * from './limits.ts';
export * from './localLogin.ts';
export * from './makeLink.ts';
export * from './openLogin.ts';
export * from './ports.ts';
export * from './provider.ts';
export * from './providerLogin.ts';
export * from './sandboxPersons.ts';
export * from './secretText.ts';
export * from './signedLogins.ts';
export * from './signIn.ts';
export * from './signInByProvider.ts';
export * from './stepUp.ts';
export * from './tables.ts';
