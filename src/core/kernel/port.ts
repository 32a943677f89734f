/**
 * What a slice asks of others, as declarations: a question to the slices on its right, with the
 * answer that holds while none of them gives one, and an adapter that stands beside the slices
 * (engine, sources, reports). src/app joins both to who answers. A declaration is known by itself
 * and named by its place in the slice (core/kernel/slice.ts).
 */

/** Any question: asked with arguments, answered later. The one who answers is loaded when asked. */
export type Question = (...asked: never[]) => Promise<unknown>;

/** A question to the right. `Means` is what the fallback needs of the process. */
export interface Port<Asked extends Question, Means = unknown> {
  /** Answers while no slice to the right does. */
  readonly fallback: (means: Means) => Asked;
}

/** Declares a question to the right. */
export const port = <Asked extends Question, Means = unknown>(
  fallback: (means: Means) => Asked,
): Port<Asked, Means> => ({ fallback });

/** What stands beside the slices and is always there. `Asked` is its type and no member of it. */
export interface Adapter<Asked extends Question> {
  readonly asked?: Asked;
}

/** Declares an adapter that the slice needs. Each call is a declaration of its own. */
export const adapter = <Asked extends Question>(): Adapter<Asked> => ({});
