import { openPanel } from './openPanel.ts';

export function SearchButton() {
  return (
    <button
      type="button"
      class="search-button"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => {
        openPanel.value = 'search';
      }}
    >
      Search <kbd>Ctrl K</kbd>
    </button>
  );
}
