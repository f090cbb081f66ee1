/** Keys that are pressed one after the other. */
export function KeyHints({ keys }: { keys: string[] }) {
  return (
    <span class="keys">
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
