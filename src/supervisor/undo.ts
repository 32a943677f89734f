/**
 * Steps that a process must undo at its end, the last made first. A step that fails is reported and
 * does not stop the others: our Redis must not stay behind because a child would not stop.
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
