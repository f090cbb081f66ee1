interface ShowEarlierProps {
  /** Items that are shown. */
  shown: number | undefined;
  /** Items that are shown at most so far. */
  max: number;
  onClick(): void;
}

/** Shows more of a list, newest first, if there may be more. */
export function ShowEarlier({ shown, max, onClick }: ShowEarlierProps) {
  if (shown !== max) return null;
  return (
    <div>
      <button type="button" onClick={onClick}>
        Show earlier
      </button>
    </div>
  );
}
