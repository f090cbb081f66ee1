import type { ComponentChildren } from 'preact';
import { t } from '../text/translate.ts';
import { ErrorMessage } from './Loading.tsx';
import { useAction } from './useAction.ts';

interface ActionProps {
  class?: string;
  /** Announced on success. */
  done?: string;
  work(): Promise<unknown>;
  children: ComponentChildren;
}

interface ActionButtonProps extends ActionProps {
  'aria-label'?: string;
}

/** A button that makes a call, and the error of the call. */
export function ActionButton({ work, done, ...rest }: ActionButtonProps) {
  const { run, error, isRunning } = useAction();
  return (
    <>
      <button type="button" {...rest} disabled={isRunning} onClick={() => void run(work, done)} />
      <ErrorMessage text={error} />
    </>
  );
}

interface ActionFormProps extends ActionProps {
  id?: string;
  /** Of the button. */
  label: string;
}

/** A form that makes a call, with its button and the error of the call. */
export function ActionForm({ label, work, done, children, ...rest }: ActionFormProps) {
  const { run, error, isRunning } = useAction();
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(work, done);
  };
  return (
    <form {...rest} onSubmit={submit}>
      {children}
      <ErrorMessage text={error} />
      <div>
        <button type="submit" class="primary" disabled={isRunning}>
          {isRunning ? t('Working…') : label}
        </button>
      </div>
    </form>
  );
}
