import { signal } from '@preact/signals';

const SHOWN_MS = 4_000;
/** With a way back, which takes time to decide on. */
const UNDO_MS = 12_000;

/** Takes back what is announced. */
export type Undo = () => Promise<unknown>;

interface Announcement {
  id: number;
  text: string;
  undo: Undo | null;
}

const shown = signal<Announcement[]>([]);
let lastId = 0;

/** Tells the user that something is done, and offers to take it back; screen readers say it. */
export function announce(text: string, undo: Undo | null = null): void {
  const id = ++lastId;
  shown.value = [...shown.value, { id, text, undo }];
  setTimeout(() => remove(id), undo ? UNDO_MS : SHOWN_MS);
}

const remove = (id: number): void => {
  shown.value = shown.value.filter((announcement) => announcement.id !== id);
};

/** The screen begins anew, because any part of it may show what was taken back. */
async function takeBack({ id, undo }: Announcement): Promise<void> {
  remove(id);
  try {
    await undo!();
    location.reload();
  } catch (error) {
    announce(`It was not taken back: ${(error as Error).message}`);
  }
}

export function Announcements() {
  return (
    <div class="announcements" role="status">
      {shown.value.map((announcement) => (
        <div class="announcement appears row" key={announcement.id}>
          {announcement.text}
          {announcement.undo && (
            <button type="button" class="quiet undo" onClick={() => void takeBack(announcement)}>
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
