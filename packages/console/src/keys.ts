/** Single keys that do something, where nobody types and where they are not turned off. */
import { useLayoutEffect } from 'preact/hooks';
import { areKeysOn } from './preferences.ts';

export type KeyMap = Readonly<Record<string, () => void>>;

const FIELDS = 'input:not([type=checkbox]):not([type=radio]), textarea, select';

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest(FIELDS) !== null;

/** A dialog has the keys while it is open. */
const isBehindDialog = ({ target }: KeyboardEvent): boolean =>
  document.querySelector('dialog[open]') !== null &&
  !(target instanceof Element && target.closest('dialog') !== null);

let isAfterG = false;

/** A map of keys; `g a` is the key a after g. */
export function useKeys(keys: KeyMap): void {
  // Before the next key: an effect that waits for the paint would leave it to the former map.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || !areKeysOn()) return;
      if (isTyping(event) || isBehindDialog(event)) return;
      const isSequence = isAfterG && `g ${event.key}` in keys;
      const action = keys[isSequence ? `g ${event.key}` : event.key];
      if (action === undefined || (isAfterG && !isSequence)) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

/** Once for the page, before any map is heard: says whether the key before this one was g. */
export function watchSequences(): void {
  let wasG = false;
  addEventListener('keydown', (event) => {
    isAfterG = wasG;
    wasG = event.key === 'g' && !isAfterG && !isTyping(event);
  });
}
