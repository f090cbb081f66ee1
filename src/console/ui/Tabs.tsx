import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';

interface TabsProps {
  label: string;
  /** Address of the first tab, and prefix of the others. */
  base: string;
  tabs: { name: string; label: string }[];
}

/** Parts of a screen, each with its own address. */
export function Tabs({ label, base, tabs }: TabsProps) {
  const { path } = useLocation();
  const list = useRef<HTMLUListElement>(null);
  // On phones the tabs are one line that scrolls.
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (current) list.current!.scrollLeft = current.offsetLeft - current.offsetWidth;
  }, [path]);
  return (
    <nav aria-label={label}>
      <ul class="tabs" ref={list}>
        {tabs.map((tab, i) => {
          const href = `${base}/${tab.name}`;
          const isCurrent = path === href || path.startsWith(`${href}/`) || (path === base && i === 0);
          return (
            <li key={tab.name}>
              <a href={href} aria-current={isCurrent ? 'page' : undefined}>
                {tab.label}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
