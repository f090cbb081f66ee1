import { useEffect, useRef, useState } from 'preact/hooks';
import { USER_ID_CHARS_MAX } from '../../../base/limits.ts';
import { t } from '../../text/translate.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { KeyHints, openPanel } from './panel.tsx';
import type { Target } from './searchTargets.ts';
import { type TargetGroup, useTargets } from './useTargets.ts';

const showShortcuts = (): void => {
  openPanel.value = 'shortcuts';
};

interface SearchDialogProps {
  hasTenant: boolean;
  onClose(): void;
}

const LIST = 'search-list';
const optionId = (index: number): string => `search-option-${index}`;

/** Searches everything. The arrow keys move through the results, Enter opens one. */
export function SearchDialog({ hasTenant, onClose }: SearchDialogProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const { groups, error } = useTargets(text, hasTenant);
  const targets = groups.flatMap((group) => group.targets);
  const active = Math.max(
    targets.findIndex(({ address, label }) => `${address} ${label}` === chosen),
    0,
  );
  const list = useRef<HTMLDivElement>(null);
  const optionAt = (index: number): HTMLElement | undefined =>
    list.current?.querySelectorAll<HTMLElement>('[role="option"]')[index];
  useEffect(() => optionAt(active)?.scrollIntoView({ block: 'nearest' }), [active]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const next = targets[(active + step + targets.length) % targets.length];
      if (next) setChosen(`${next.address} ${next.label}`);
    } else if (event.key === 'Enter') optionAt(active)?.click();
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t('Search')} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        class="search-text"
        aria-label={t('Search users, configuration, screens and commands')}
        placeholder={t('Users, configuration, screens and commands')}
        autofocus
        autocomplete="off"
        maxLength={USER_ID_CHARS_MAX}
        aria-autocomplete="list"
        aria-expanded={targets.length > 0}
        aria-controls={targets.length > 0 ? LIST : undefined}
        aria-activedescendant={targets.length > 0 ? optionId(active) : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(null);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list}>{targets.length > 0 && <Found groups={groups} active={active} onOpen={onClose} />}</div>
      <p class="soft small" role="status">
        {targets.length === 0 && t('No results')}
      </p>
      <ErrorMessage text={error} />
      <div class="row end">
        <button type="button" class="quiet" onClick={showShortcuts}>
          {t('Shortcuts')}
        </button>
      </div>
    </Dialog>
  );
}

interface FoundProps {
  groups: TargetGroup[];
  active: number;
  onOpen(): void;
}

function Found({ groups, active, onOpen }: FoundProps) {
  let index = 0;
  return (
    <div id={LIST} role="listbox" aria-label={t('Results')} class="found">
      {groups.map(({ title, targets }) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, no field sets
        <div key={title} role="group" aria-label={title}>
          <div class="found-title" aria-hidden="true">
            {title}
          </div>
          {targets.map((target) => {
            const i = index++;
            return (
              <FoundTarget
                key={`${target.address} ${target.label}`}
                id={optionId(i)}
                target={target}
                isActive={i === active}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

interface FoundTargetProps {
  id: string;
  target: Target;
  isActive: boolean;
  onOpen(): void;
}

function FoundTarget({
  id,
  target: { label, detail, address, badge, keys },
  isActive,
  onOpen,
}: FoundTargetProps) {
  return (
    <a id={id} role="option" aria-selected={isActive} href={address} tabIndex={-1} onClick={onOpen}>
      {badge !== undefined && <Badge url={badge} name={label} />}
      <span>{label}</span>
      {detail && <span class="soft small">{detail}</span>}
      {keys && <KeyHints keys={keys} />}
    </a>
  );
}
