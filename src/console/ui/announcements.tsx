import { signal } from '@preact/signals';

const SHOWN_MS = 4_000;

const shown = signal<{ id: number; text: string }[]>([]);
let lastId = 0;

/** Tells the user that something is done; screen readers say it. */
export function announce(text: string): void {
  const id = ++lastId;
  shown.value = [...shown.value, { id, text }];
  setTimeout(() => {
    shown.value = shown.value.filter((announcement) => announcement.id !== id);
  }, SHOWN_MS);
}

export function Announcements() {
  return (
    <div class="announcements" role="status">
      {shown.value.map(({ id, text }) => (
        <div class="announcement appears" key={id}>
          {text}
        </div>
      ))}
    </div>
  );
}
