/**
 * The condition language, in which tenants write what depends on what: closed, without code, and
 * bounded in depth and length. Read in this order: condition → checkCondition, compileCondition →
 * conditionSchema. Nothing here needs a process, so that a browser evaluates by the same files.
 */
export * from './checkCondition.ts';
export * from './compileCondition.ts';
export * from './condition.ts';
export * from './conditionSchema.ts';
