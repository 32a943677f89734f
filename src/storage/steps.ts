/**
 * Names of the points inside a write. Tests pass a function that ends the process at one of them;
 * in service nobody listens.
 */
export type OnStep = (step: string) => void;
export const onNoStep: OnStep = () => {};
