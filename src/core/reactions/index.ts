/** Reactions: what storage keeps of events and of those who subscribe to them. */
export * from './ports.ts';
