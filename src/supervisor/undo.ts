/**
 * What a life has to take back at its end, last made first. A step that fails is told of and keeps
 * none of the others from running: a Redis of ours must not stay behind because a child would not
 * stop.
 */
export type UndoStep = () => Promise<void> | void;

export async function undoAll(
  steps: readonly UndoStep[],
  onFailed: (error: unknown) => void,
): Promise<void> {
  for (const step of steps.toReversed()) {
    try {
      await step();
    } catch (error) {
      onFailed(error);
    }
  }
}
