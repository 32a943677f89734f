/**
 * The SDK for browsers, and the page of a link, which is the SDK started by its own document. The
 * token comes in the fragment, which browsers send to nobody; it leaves the address at once, and
 * stays in this tab alone.
 */
import { Client, OnboardingError } from './client.ts';
import { make } from './dom.ts';
import { load } from './onboarding.ts';
import { endedPage } from './pages.ts';
import { speak } from './render.ts';
import { languageOf, WORDS } from './words.ts';

export { OnboardingError, VERSION } from './client.ts';
export { evaluate } from './evaluate.ts';
export { load, Onboarding } from './onboarding.ts';

const KEPT = 'onboarding-token';

function takeToken(): string {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(KEPT) ?? '';
}

async function start(root: HTMLElement): Promise<void> {
  const token = takeToken();
  const language = languageOf(navigator.languages);
  speak(root, language);
  root.replaceChildren(make('p', { role: 'status' }, WORDS[language].loading));
  try {
    (await load(token)).render(root);
  } catch (error) {
    if (!(error instanceof OnboardingError)) throw error;
    if (error.isEnded) {
      endedPage(root, language, () => new Client(token, '').regenerate());
      return;
    }
    const text = error.status === 426 ? WORDS[language].old : WORDS[language].failed;
    root.replaceChildren(make('p', { role: 'alert' }, text));
  }
}

const page = document.querySelector<HTMLElement>('main[data-onboarding]');
if (page !== null) {
  addEventListener('hashchange', () => void start(page));
  void start(page);
}
