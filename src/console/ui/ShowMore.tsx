interface ShowMoreProps {
  /** Items that are shown. */
  shown: number | undefined;
  /** Items that are shown at most so far. */
  max: number;
  /** On the button. */
  label?: string;
  onClick(): void;
}

/** Shows more of a list if there may be more. */
export function ShowMore({ shown, max, label = 'Show earlier', onClick }: ShowMoreProps) {
  if (shown !== max) return null;
  return (
    <div>
      <button type="button" onClick={onClick}>
        {label}
      </button>
    </div>
  );
}
