import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useStored } from '../../api/stored.ts';
import { t } from '../../text/translate.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { leaveFor } from '../../ui/form/unsaved.ts';
import { isLetter, LETTERS } from '../../ui/letterKeys.ts';
import { screenFrom } from '../screenFrom.tsx';
import { addressOfScreen, allScreens } from '../screens.ts';
import { KeyHints, openPanel } from './panel.tsx';

/** Longest time between `g` and the letter of a screen. */
const LETTER_MS_MAX = 1_500;

const SearchDialog = screenFrom(() => import('./SearchDialog.tsx'), 'SearchDialog');

const close = (): void => {
  openPanel.value = null;
};

/** Global keyboard shortcuts, and the panels that they open. */
export function Shortcuts({ hasTenant }: { hasTenant: boolean }) {
  const [hasLetters, storeLetters] = useStored(LETTERS, true, null);
  const { route } = useLocation();
  const wentAtMs = useRef(Number.NEGATIVE_INFINITY);
  // Before the next key: letters may have been turned off.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (isSearchKey(event)) {
        event.preventDefault();
        openPanel.value = openPanel.value === 'search' ? null : 'search';
      } else if (hasLetters && isLetter(event)) {
        const isSecond = event.timeStamp - wentAtMs.current <= LETTER_MS_MAX;
        wentAtMs.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
        const screen = isSecond ? screenOf(event.key) : undefined;
        if (screen) leaveFor(() => route(addressOfScreen(screen)));
        else if (event.key === '/') findList();
        else if (event.key === '?') openPanel.value = 'shortcuts';
        else return;
        event.preventDefault();
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [hasLetters, route]);
  if (openPanel.value === 'search') return <SearchDialog hasTenant={hasTenant} onClose={close} />;
  if (openPanel.value === 'shortcuts') return <ShortcutList hasLetters={hasLetters} store={storeLetters} />;
  return null;
}

const isSearchKey = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && ctrlKey !== metaKey && !shiftKey && !altKey;

const screenOf = (key: string) => allScreens().find(({ letter }) => letter === key);

/** Focuses the search field of the screen, or opens the global search. */
function findList(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (field) field.focus();
  else openPanel.value = 'search';
}

interface ShortcutListProps {
  hasLetters: boolean;
  store(hasLetters: boolean): void;
}

function ShortcutList({ hasLetters, store }: ShortcutListProps) {
  const shortcuts: [keys: string[], meaning: string][] = [
    [['Ctrl K'], t('Search everything (Cmd K on Mac)')],
    [['/'], t('Search the list')],
    [['?'], t('Show shortcuts')],
    ...allScreens().flatMap(({ letter, label }): [string[], string][] =>
      letter === undefined ? [] : [[['g', letter], label!]],
    ),
  ];
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={close}>
      <dl class="shortcuts">
        {shortcuts.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              <KeyHints keys={keys} />
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={hasLetters} onChange={() => store(!hasLetters)} />{' '}
        {t('Enable single-key shortcuts')}
      </label>
    </Dialog>
  );
}
