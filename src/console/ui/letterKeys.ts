import { useLayoutEffect, useRef } from 'preact/hooks';
import { readStored } from '../browser/storedSettings.ts';

/** Setting of this browser: whether single letters are shortcuts. */
export const LETTERS = 'letter-shortcuts';

/** Whether a key is pressed without modifiers, outside of inputs and dialogs. */
export function isLetter({ target, ctrlKey, metaKey, altKey, repeat }: KeyboardEvent): boolean {
  const isTyped = (target as Element).closest?.('input, textarea, select, [contenteditable]');
  return !isTyped && !ctrlKey && !metaKey && !altKey && !repeat && !document.querySelector('dialog[open]');
}

/** Shortcuts of a screen by letter. Those of the whole console come first. */
export function useLetters(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const action = latest.current[event.key];
      if (action === undefined || event.defaultPrevented) return;
      if (!isLetter(event) || !readStored(LETTERS, true, null)) return;
      event.preventDefault();
      action();
    };
    // Shortcuts of the console listen at the document, which is before the window.
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
