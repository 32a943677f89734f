/** The one page of every link that opens nothing, whatever the reason, in three languages. */
import type { FormLanguage } from '../../../src/slices/forms/definition.ts';
import { make } from './dom.ts';
import { WORDS } from './words.ts';

/** `regenerate`: asks for a fresh link. What comes of it is told to nobody. */
export function endedPage(
  root: HTMLElement,
  first: FormLanguage,
  regenerate: () => Promise<unknown>,
): void {
  root.lang = first;
  root.dir = first === 'ar' ? 'rtl' : 'ltr';
  const others = (['fr', 'ar', 'en'] as const).filter((one) => one !== first);
  root.replaceChildren(...[first, ...others].map((language) => section(language, regenerate)));
  root.querySelector('h1')?.focus();
}

function section(language: FormLanguage, regenerate: () => Promise<unknown>): HTMLElement {
  const words = WORDS[language];
  const told = make('p', { role: 'status' });
  const button = make('button', { type: 'button' }, words.regenerate);
  button.addEventListener('click', () => {
    button.disabled = true;
    const tell = (): void => {
      told.textContent = words.regenerated;
    };
    void regenerate().then(tell, tell);
  });
  const title = make('h1', { tabindex: '-1' }, words.endedTitle);
  return make(
    'section',
    { class: 'ended', dir: language === 'ar' ? 'rtl' : 'ltr', lang: language },
    title,
    make('p', {}, words.ended),
    button,
    told,
  );
}
