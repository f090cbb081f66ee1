import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/** Forms with unsaved input. */
const forms = new Set<symbol>();
/** Their address. */
let here = '';

/** Continues the navigation that unsaved input has stopped; null without one. */
export const leaving = signal<(() => void) | null>(null);

/** Discards the input of all forms, and continues. */
export function discardAndLeave(): void {
  const leave = leaving.value;
  forms.clear();
  leaving.value = null;
  leave?.();
}

/** Navigates; asks first if input would be lost. */
export function leaveFor(go: () => void): void {
  if (forms.size === 0) go();
  else leaving.value = go;
}

/** Marks a form as unsaved. */
export function useUnsaved(isUnsaved: boolean): void {
  // Before the next key or click, which may leave the screen.
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const form = Symbol();
    forms.add(form);
    here = location.href;
    return () => void forms.delete(form);
  }, [isUnsaved]);
}

/** Makes links, the back button and closing the tab ask before unsaved input is lost. Called once. */
export function askBeforeLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (forms.size > 0) event.preventDefault();
  });
  // Both come before the router, which listens later and further outside.
  document.addEventListener('click', onClick, { capture: true });
  addEventListener('popstate', onPopState, { capture: true });
}

function onClick(event: MouseEvent): void {
  const link = (event.target as Element).closest?.('a');
  const opensHere = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (forms.size === 0 || !link || !opensHere || link.target !== '' || isOnPage(link)) return;
  event.preventDefault();
  event.stopPropagation();
  leaving.value = () => link.click();
}

/** Whether a link leads to a part of this page. */
const isOnPage = ({ href }: HTMLAnchorElement): boolean =>
  href.includes('#') && href.split('#')[0] === location.href.split('#')[0];

function onPopState(event: PopStateEvent): void {
  if (forms.size === 0) return;
  event.stopImmediatePropagation();
  history.pushState(null, '', here);
  leaving.value = () => history.back();
}
