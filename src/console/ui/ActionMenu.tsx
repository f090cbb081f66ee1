import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface MenuAction {
  label: string;
  isDangerous?: boolean;
  onSelect(): void;
}

export interface MenuGroup {
  title: string;
  actions: MenuAction[];
}

/** Keys that move the focus to an index. */
const MOVES: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Keys that open the menu, with the index that gets the focus; -1 is the last one. */
const OPENERS: Record<string, number> = { ArrowDown: 0, ArrowUp: -1 };

/** A button with a menu of grouped actions; a single action is a plain button. */
export function ActionMenu({ label, groups }: { label: string; groups: MenuGroup[] }) {
  const [openAt, setOpenAt] = useState<number | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const filled = groups.filter(({ actions }) => actions.length > 0);
  const all = filled.flatMap(({ actions }) => actions);
  useCloseOutside(box, openAt !== null, () => setOpenAt(null));
  const [single] = all;
  if (single && all.length === 1) {
    return (
      <button type="button" class={single.isDangerous ? 'danger' : undefined} onClick={single.onSelect}>
        {single.label}
      </button>
    );
  }
  const close = (): void => {
    setOpenAt(null);
    button.current?.focus();
  };
  return (
    <div class="action-menu" ref={box}>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={openAt !== null}
        aria-controls={openAt === null ? undefined : id}
        onClick={() => setOpenAt(openAt === null ? 0 : null)}
        onKeyDown={(event) => {
          const opener = OPENERS[event.key];
          if (opener === undefined) return;
          event.preventDefault();
          setOpenAt(opener);
        }}
      >
        {label} <span aria-hidden="true">▾</span>
      </button>
      {openAt !== null && (
        <Menu
          id={id}
          label={label}
          groups={filled}
          openAt={openAt}
          onClose={close}
          onLeave={() => setOpenAt(null)}
        />
      )}
    </div>
  );
}

interface MenuProps {
  id: string;
  label: string;
  groups: MenuGroup[];
  openAt: number;
  /** Closes the menu; the focus returns to its button. */
  onClose(): void;
  /** Closes the menu; the focus moves on. */
  onLeave(): void;
}

function Menu({ id, label, groups, openAt, onClose, onLeave }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const items = (): HTMLElement[] => [...menu.current!.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  useLayoutEffect(() => items().at(openAt)?.focus(), [openAt]);
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') {
      onLeave();
      return;
    }
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = event.key === 'Escape' ? null : targetOf(event, all, at);
    if (to === undefined) return;
    event.preventDefault();
    if (to === null) onClose();
    else all[to]?.focus();
  };
  return (
    <div id={id} class="menu-list appears" role="menu" aria-label={label} ref={menu} onKeyDown={move}>
      {groups.map(({ title, actions }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu
        <div role="group" key={title} aria-label={title}>
          <div class="menu-title" aria-hidden="true">
            {title}
          </div>
          {actions.map((action) => (
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              key={action.label}
              class={action.isDangerous ? 'danger' : undefined}
              onClick={() => {
                onClose();
                action.onSelect();
              }}
            >
              {action.label}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

/** The index that a key moves to; a letter moves to the next action that starts with it. */
function targetOf(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  all: HTMLElement[],
  at: number,
): number | undefined {
  const to = MOVES[key]?.(at, all.length);
  if (to !== undefined || key.length !== 1 || key === ' ' || ctrlKey || metaKey) return to;
  const order = all.map((_, i) => (at + 1 + i) % all.length);
  return order.find((i) => all[i]!.textContent!.toLowerCase().startsWith(key.toLowerCase()));
}

function useCloseOutside(box: { current: HTMLElement | null }, isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const onPointerDown = ({ target }: PointerEvent): void => {
      if (!box.current?.contains(target as Node)) close();
    };
    document.addEventListener('pointerdown', onPointerDown);
    return () => document.removeEventListener('pointerdown', onPointerDown);
  }, [isOpen]);
}
