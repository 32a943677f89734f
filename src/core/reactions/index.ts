/** Reactions: who subscribes to events, how they are handled, and what storage must keep for it. */
export {
  createReactions,
  REACTION_LIMITS,
  type ReactionLimits,
  type ReactionOptions,
  type ReactionReport,
  type Reactions,
} from './createReactions.ts';
export { WORKER_LOST } from './handleEvents.ts';
export * from './ports.ts';
export { registerReactionFigures } from './reactionFigures.ts';
export {
  type Handler,
  RETRY_PLAN,
  type Subscriber,
  type Sweep,
  type Together,
} from './subscriber.ts';
