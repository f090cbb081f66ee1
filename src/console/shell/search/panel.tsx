import { signal } from '@preact/signals';
import { t } from '../../text/translate.ts';

/** The open panel above the screen. */
export const openPanel = signal<'search' | 'shortcuts' | null>(null);

export const SearchButton = () => (
  <button
    type="button"
    class="search-button"
    aria-keyshortcuts="Control+K Meta+K"
    onClick={() => {
      openPanel.value = 'search';
    }}
  >
    {t('Search')} <kbd>Ctrl K</kbd>
  </button>
);

/** Keys that are pressed one after the other. */
export const KeyHints = ({ keys }: { keys: string[] }) => (
  <span class="keys">
    {keys.map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
);
