import { useRef } from 'preact/hooks';
import { announce } from './announcements.tsx';
import { Dialog } from './Dialog.tsx';

interface ShownOnceProps {
  title: string;
  /** What it is for. */
  note: string;
  value: string;
  onClose(): void;
}

/** Shows a secret that nobody can read again later, with a button that copies it. */
export function ShownOnce({ title, note, value, onClose }: ShownOnceProps) {
  const field = useRef<HTMLInputElement>(null);
  const copy = async (): Promise<void> => {
    field.current?.select();
    // Browsers have a clipboard only over HTTPS and on the same machine.
    const isCopied = await navigator.clipboard?.writeText(value).then(
      () => true,
      () => false,
    );
    announce(isCopied ? 'Copied.' : 'It is selected: copy it with Ctrl+C.');
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="warning">Copy this now, it is not shown again. {note}</p>
      <div class="row">
        <input ref={field} type="text" class="code" aria-label={title} readOnly value={value} />
        <button type="button" class="primary" onClick={() => void copy()}>
          Copy
        </button>
      </div>
    </Dialog>
  );
}
