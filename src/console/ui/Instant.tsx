import { formatInstant, NONE } from '../text/format.ts';

/** An instant in a table or a note: a line breaks between its date and its time only. */
export function Instant({ at }: { at: string | null | undefined }) {
  if (!at) return <>{NONE}</>;
  const text = formatInstant(at);
  const space = text.lastIndexOf(' ');
  return (
    <time dateTime={at} class="instant">
      <span>{text.slice(0, space)}</span> <span>{text.slice(space + 1)}</span>
    </time>
  );
}
