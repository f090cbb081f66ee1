/** The image of an item, or the first letter of its name. */
export function Badge({ url, name }: { url: string | null | undefined; name: string }) {
  if (url) return <img class="icon" src={url} alt="" />;
  return (
    <span class="icon" aria-hidden="true">
      {name.charAt(0)}
    </span>
  );
}
