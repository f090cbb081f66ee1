import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../text/translate.ts';

interface DialogProps {
  title: string;
  isWide?: boolean;
  onClose(): void;
  children: ComponentChildren;
}

/**
 * A modal dialog: the browser keeps the focus in it, Escape closes it, and the focus returns afterwards.
 */
export function Dialog({ title, isWide, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** The close event may come when the dialog is gone and another one is open. */
  const isShown = useRef(true);
  // Before the next key, which belongs to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const shown = dialog.current!;
    shown.showModal();
    // A form begins in its first field, not at the button that closes the dialog.
    shown.querySelector<HTMLElement>('form :is(input, select, textarea):not(:disabled)')?.focus();
    return () => {
      // Nothing outside takes the focus before the dialog is closed.
      isShown.current = false;
      shown.close();
      before?.focus();
    };
  }, []);
  // The close event comes late: a key before it would find the dialog still open.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'wide' : undefined}
      aria-label={title}
      onClose={() => isShown.current && onClose()}
      onKeyDown={onKeyDown}
    >
      <div class="stack">
        <div class="card-head">
          <h2>{title}</h2>
          <button type="button" class="quiet" onClick={onClose}>
            {t('Close')}
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
