import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../api/useAction.ts';
import { Dialog } from './Dialog.tsx';
import { ErrorMessage } from './Loading.tsx';

interface ConfirmProps {
  /** On the button, and the title of the question. */
  label: string;
  isDangerous?: boolean;
  /** What will happen. */
  children: ComponentChildren;
  /** Said when it has happened. */
  done: string;
  work(): Promise<unknown>;
  onDone?(): void;
}

/** A button that asks before it does something. */
export function Confirm({ label, isDangerous, children, done, work, onDone }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  const { run, error, isRunning } = useAction();
  const confirm = async (): Promise<void> => {
    if (!(await run(work, done))) return;
    setOpen(false);
    onDone?.();
  };
  return (
    <>
      <button type="button" class={isDangerous ? 'danger' : undefined} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={label} onClose={() => setOpen(false)}>
          <div>{children}</div>
          <ErrorMessage text={error} />
          <div class="row end">
            <button
              type="button"
              class={isDangerous ? 'danger' : 'primary'}
              disabled={isRunning}
              onClick={confirm}
            >
              {isRunning ? 'Working…' : label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
