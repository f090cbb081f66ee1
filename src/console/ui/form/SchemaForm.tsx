import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../api/useAction.ts';
import { ErrorMessage } from '../Loading.tsx';
import { Fields } from './fields.tsx';
import type { Schema, Value } from './schema.ts';

interface SchemaFormProps {
  schema: Schema;
  initial: Value;
  submitLabel: string;
  /** Fields that fit what is chosen in others. */
  isShown?(name: string, value: Value): boolean;
  fixed?: readonly string[];
  /** Said when it is done. */
  done?: string;
  /** What submitting these values will do, said before it is done. */
  effectOf?(value: Value): ComponentChildren;
  onSubmit(value: Value): Promise<unknown>;
  onCancel?(): void;
  /** Beside the buttons. */
  children?: ComponentChildren;
}

/** The form of the console: its fields come from a schema of the contract. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, initial, submitLabel, isShown, fixed, done, effectOf, onSubmit, onCancel, children } =
    props;
  const [value, setValue] = useState<Value>(initial);
  const { run, error, isRunning } = useAction();
  const shows = (name: string): boolean => isShown?.(name, value) ?? true;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const shown = Object.fromEntries(Object.entries(value).filter(([name]) => shows(name)));
    await run(() => onSubmit(shown), done);
  };
  return (
    <form class="form" onSubmit={submit}>
      <Fields
        schema={schema}
        path={[]}
        value={value}
        onChange={(changed) => setValue(changed as Value)}
        isShown={shows}
        fixed={fixed}
      />
      {effectOf && <div role="status">{effectOf(value)}</div>}
      <ErrorMessage text={error} />
      <div class="row">
        <button type="submit" class="primary" disabled={isRunning}>
          {isRunning ? 'Working…' : submitLabel}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        {children}
      </div>
    </form>
  );
}
