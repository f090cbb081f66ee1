import { signal } from '@preact/signals';
import { t } from '../text/translate.ts';

const SHOWN_MS = 4_000;
/** With an undo, which takes time to decide. */
const UNDO_MS = 12_000;

/** Reverses the announced change. */
export type Undo = () => Promise<unknown>;

interface Announcement {
  id: number;
  text: string;
  undo: Undo | null;
}

const shown = signal<Announcement[]>([]);
let lastId = 0;

/** Announces a completed change, to screen readers too, and offers to undo it. */
export function announce(text: string, undo: Undo | null = null): void {
  const id = ++lastId;
  shown.value = [...shown.value, { id, text, undo }];
  setTimeout(() => remove(id), undo ? UNDO_MS : SHOWN_MS);
}

const remove = (id: number): void => {
  shown.value = shown.value.filter((announcement) => announcement.id !== id);
};

/** Reloads the page, because any part of it may show the change. */
async function undoChange({ id, undo }: Announcement): Promise<void> {
  remove(id);
  try {
    await undo!();
    location.reload();
  } catch (error) {
    announce(t('Undo failed: {message}', { message: (error as Error).message }));
  }
}

export function Announcements() {
  return (
    <div class="announcements" role="status">
      {shown.value.map((announcement) => (
        <div class="announcement appears row" key={announcement.id}>
          {announcement.text}
          {announcement.undo && (
            <button type="button" class="quiet undo" onClick={() => void undoChange(announcement)}>
              {t('Undo')}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
