import { useRef, useState } from 'preact/hooks';
import { t } from '../../text/translate.ts';
import { Badge } from '../Badge.tsx';
import type { InputProps } from './inputs.tsx';
import type { Choice } from './schema.ts';

/** Choices that are shown at once. */
const SHOWN_MAX = 50;

interface ComboboxProps extends Partial<Omit<InputProps, 'id'>> {
  id: string;
  choices: Choice[];
  /** The chosen value; undefined if nothing is chosen. */
  value: string | undefined;
  placeholder: string;
  onChange(value: string | undefined): void;
}

const matches = ({ label, detail = '' }: Choice, text: string): boolean =>
  `${label} ${detail}`.toLowerCase().includes(text.trim().toLowerCase());

/** State of the search, and its keys. */
function useSearch({ choices, value, onChange }: Pick<ComboboxProps, 'choices' | 'value' | 'onChange'>) {
  /** null while the list is closed. */
  const [text, setText] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const chosen = choices.find((choice) => choice.value === value);
  const isOpen = text !== null;
  const found = isOpen ? choices.filter((choice) => matches(choice, text === chosen?.label ? '' : text)) : [];
  const shown = found.slice(0, SHOWN_MAX);
  const search = (searched: string | null): void => {
    setText(searched);
    setActive(0);
  };
  const open = (): void => search(chosen?.label ?? '');
  const choose = (choice: Choice | undefined): void => {
    if (choice) onChange(choice.value);
    search(null);
  };
  const move = (step: number): void => {
    const next = Math.min(Math.max(active + step, 0), shown.length - 1);
    setActive(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  const close = (): void => {
    // An empty text clears the choice, a text that matches one item chooses it, any other text is discarded.
    if (text === '') onChange(undefined);
    else choose(found.length === 1 ? found[0] : found.find(({ label }) => label === text));
    search(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) isOpen ? move(step) : open();
    else if (event.key === 'Enter' && isOpen) choose(shown[active]);
    else if (event.key === 'Escape' && isOpen) search(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const more = found.length - shown.length;
  return { text, isOpen, chosen, shown, more, active, list, open, search, choose, close, onKeyDown };
}

/** Chooses one of many items, which are searched by name and key. */
export function Combobox(props: ComboboxProps) {
  const { choices, onChange, onBlur, ...rest } = props;
  const { id, value } = rest;
  const { text, isOpen, chosen, shown, more, active, list, open, search, choose, close, onKeyDown } =
    useSearch({ choices, value, onChange });
  const optionId = (index: number): string => `${id}-option-${index}`;
  const onLeave = (): void => {
    if (isOpen) close();
    onBlur?.();
  };
  return (
    <div class="combobox">
      <input
        {...rest}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={shown.length > 0 ? optionId(active) : undefined}
        aria-autocomplete="list"
        value={text ?? chosen?.label ?? value ?? ''}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => !isOpen && open()}
        onInput={(event) => search(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={onLeave}
      />
      {isOpen && (
        <div class="options">
          <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('Choices')}>
            {shown.map((choice, i) => (
              <Option
                key={choice.value}
                id={optionId(i)}
                choice={choice}
                isActive={i === active}
                isChosen={choice.value === value}
                choose={() => choose(choice)}
              />
            ))}
          </div>
          {shown.length === 0 && <p class="soft small">{t('No results')}</p>}
          {more > 0 && <p class="soft small">{t('{more} more. Type to search.', { more })}</p>}
        </div>
      )}
    </div>
  );
}

interface OptionProps {
  id: string;
  choice: Choice;
  isActive: boolean;
  isChosen: boolean;
  choose(): void;
}

function Option({ id, choice, isActive, isChosen, choose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the field
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      class={isActive ? 'active' : undefined}
      // The field would lose the focus, which closes the list.
      onMouseDown={(event) => event.preventDefault()}
      onClick={choose}
    >
      {choice.badge !== undefined && <Badge url={choice.badge} name={choice.label} />}
      <span>{choice.label}</span>
      {choice.detail && <span class="soft small">{choice.detail}</span>}
    </div>
  );
}
