/**
 * Names of the points inside a write. Tests pass a function that ends the process at one of them;
 * in service there is none.
 */
export type OnCrashPoint = (step: string) => void;
export const noCrashPoints: OnCrashPoint = () => {};
