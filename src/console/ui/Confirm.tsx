import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Role } from '../../base/roles.ts';
import { t } from '../text/translate.ts';
import { isAllowed } from './Allowed.tsx';
import type { Undo } from './announcements.tsx';
import { Dialog } from './Dialog.tsx';
import { ErrorMessage } from './Loading.tsx';
import { useAction } from './useAction.ts';

interface Question {
  /** Of the button, and title of the dialog. */
  label: string;
  isDangerous?: boolean;
  /** What it does. */
  children: ComponentChildren;
  /** Announced on success. */
  done: string;
  /** Offered on success. */
  undo?: Undo | null;
  work(): Promise<unknown>;
}

interface ConfirmProps extends Question {
  /** Required role. */
  needs?: Role;
  onDone?(): void;
}

/** A button with a confirmation. */
export function Confirm({ needs = 'operate', onDone, ...question }: ConfirmProps) {
  const { label, isDangerous } = question;
  const [isOpen, setOpen] = useState(false);
  const close = (isDone: boolean): void => {
    setOpen(false);
    if (isDone) onDone?.();
  };
  if (!isAllowed(needs)) return null;
  return (
    <>
      <button type="button" class={isDangerous ? 'danger' : undefined} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && <ConfirmDialog {...question} onClose={close} />}
    </>
  );
}

/** Shows what an action does, and asks for confirmation. */
export function ConfirmDialog(props: Question & { onClose(isDone: boolean): void }) {
  const { label, isDangerous, children, done, undo, work, onClose } = props;
  const { run, error, isRunning } = useAction();
  const confirm = async (): Promise<void> => {
    if (await run(work, done, undo)) onClose(true);
  };
  return (
    <Dialog title={label} onClose={() => onClose(false)}>
      <div>{children}</div>
      <ErrorMessage text={error} />
      <div class="row end">
        <button
          type="button"
          class={isDangerous ? 'danger' : 'primary'}
          disabled={isRunning}
          onClick={confirm}
        >
          {isRunning ? t('Working…') : label}
        </button>
      </div>
    </Dialog>
  );
}
