import { useRef } from 'preact/hooks';
import { t } from '../text/translate.ts';
import { announce } from './announcements.tsx';
import { Dialog } from './Dialog.tsx';

interface ShownOnceProps {
  title: string;
  /** Its purpose. */
  note: string;
  value: string;
  onClose(): void;
}

/** Shows a secret that cannot be read again, with a button that copies it. */
export function ShownOnce({ title, note, value, onClose }: ShownOnceProps) {
  const field = useRef<HTMLInputElement>(null);
  const copy = async (): Promise<void> => {
    field.current?.select();
    // Browsers have a clipboard only over HTTPS and on localhost.
    const isCopied = await navigator.clipboard?.writeText(value).then(
      () => true,
      () => false,
    );
    announce(isCopied ? t('Copied.') : t('Press Ctrl+C to copy the selected text.'));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="warning">{t('Copy this now. It will not be shown again. {note}', { note })}</p>
      <div class="row">
        <input ref={field} type="text" class="code" aria-label={title} readOnly value={value} />
        <button type="button" class="primary" onClick={() => void copy()}>
          {t('Copy')}
        </button>
      </div>
    </Dialog>
  );
}
