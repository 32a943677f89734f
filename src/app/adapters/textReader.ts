/** Entry of the thread that reads free text of payments. The language model is loaded with it. */
import {
  openWinkSplitter,
  plainSplitter,
  type ReadTextsAnswer,
  readerName,
  readTextWords,
} from '#slices/monitoring';

/** Without the model more is compared, never less; evidence names what read a text. */
const opened = openWinkSplitter().catch((error: unknown) => {
  process.emitWarning(`free text is read without its language model: ${String(error)}`);
  return plainSplitter;
});

/** Called by Piscina. */
export async function readTexts(texts: readonly string[]): Promise<ReadTextsAnswer> {
  const splitter = await opened;
  return {
    reader: readerName(splitter),
    texts: texts.map((text) => readTextWords(text, splitter)),
  };
}
