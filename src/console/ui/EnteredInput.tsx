import { useLayoutEffect, useRef } from 'preact/hooks';

interface EnteredInputProps
  extends Partial<
    Record<'id' | 'aria-label' | 'min' | 'max' | 'step' | 'list' | 'placeholder' | 'autocomplete', string>
  > {
  type: 'text' | 'number' | 'date';
  value: string;
  onChange(value: string): void;
}

/**
 * An input that takes effect with Enter, or when it is left. What is typed until then stays, although a live
 * screen is drawn again with the value before.
 */
export function EnteredInput({ value, onChange, ...others }: EnteredInputProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current!.value = value;
  }, [value]);
  return <input {...others} ref={field} onChange={(event) => onChange(event.currentTarget.value)} />;
}
