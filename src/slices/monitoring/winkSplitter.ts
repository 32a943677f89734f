/** The splitter that stands on wink-nlp's English model. Loaded in a thread, never by a gateway. */
import { TEXT_TERMS } from './textTerms.ts';
import { type TextSplitter, tokenOf } from './textWords.ts';

const VERSION = 'wink-nlp 2.4.0, wink-eng-lite-web-model 1.8.1';
/** Types of wink's tokens that are no names; a url stays, as `Ann.Example.Moreau` is one to it. */
const SHAPES: ReadonlySet<string> = new Set(['email', 'time', 'currency', 'hashtag']);
const DIGIT = /\p{N}/u;

/** Rejects where the package or its model is not there. */
export async function openWinkSplitter(): Promise<TextSplitter> {
  const [{ default: wink }, { default: model }] = await Promise.all([
    import('wink-nlp'),
    import('wink-eng-lite-web-model'),
  ]);
  const nlp = wink(model, ['sbd', 'ner', 'cer']);
  nlp.learnCustomEntities(
    TEXT_TERMS.map(({ id, spellings }) => ({ name: id, patterns: [...spellings] })),
    { matchValue: false, useEntity: false, usePOS: false },
  );
  const { its } = nlp;
  return {
    name: VERSION,
    split: (text) => {
      const document = nlp.readDoc(text);
      const texts = document.tokens().out();
      const types = document.tokens().out(its.type);
      const tokens = texts.map((one, at) => {
        const token = tokenOf(one);
        return SHAPES.has(String(types[at])) ? { ...token, kind: 'shape' as const } : token;
      });
      const found = document.entities();
      const values = found.out();
      const spans = found.out(its.span) as unknown as readonly (readonly [number, number])[];
      // Words around a number that are part of it: of `12 March 2026` the month.
      for (const [at, [from, to]] of spans.entries()) {
        if (!DIGIT.test(values[at] ?? '')) continue;
        for (let place = from; place <= to; place++) {
          const token = tokens[place];
          if (token !== undefined) tokens[place] = { kind: 'shape', text: token.text };
        }
      }
      const terms = document.customEntities().out(its.type);
      return { terms: terms.map(String), tokens };
    },
  };
}
