/**
 * What is costly to open and is kept: an engine, a thread, the files of a site. It is opened when
 * it is first asked for. A failure is not kept: whoever asks next has it opened anew.
 */
export function openedOnce<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | undefined;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}
