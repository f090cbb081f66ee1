import { useEffect, useRef, useState } from 'preact/hooks';

const PAUSE_MS = 250;

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange(value: string): void;
}

/** A text input that takes effect when the user pauses. */
export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  /** The text that has taken effect. */
  const applied = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (applied.current === value) return;
    applied.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    const searched = text.trim();
    if (searched === applied.current) return;
    const timer = setTimeout(() => {
      applied.current = searched;
      latest.current(searched);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
