import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { session, signOut } from '../api/session.ts';
import type { Settings } from '../api/types.ts';
import { useApi } from '../api/useApi.ts';
import { ClockNote } from './ClockNote.tsx';
import { Laurel } from './Laurel.tsx';
import { SECTIONS } from './sections.ts';
import { TenantChoice } from './TenantChoice.tsx';

/** Navigation around every screen. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const settings = useApi<Settings>(session.value?.tenant === null ? '/settings' : null);
  useEffect(() => setOpen(false), [path]);
  const mustChooseTenant = settings.data?.multiTenancy === true && session.value?.tenant === null;
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class={`sidebar ${isOpen ? 'open' : ''}`}>
        <div class="sidebar-top">
          <a class="brand" href="/console">
            <Laurel /> laurel
          </a>
          <button type="button" class="menu-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Menu
          </button>
        </div>
        <nav aria-label="Console">
          <Menu path={path} />
        </nav>
        <div class="sidebar-end small">
          <ClockNote />
          <TenantChoice />
          <span class="soft">
            <a href="/docs">API reference</a> · {__VERSION__}
          </span>
          <div>
            <button type="button" onClick={() => signOut()}>
              Sign out
            </button>
          </div>
        </div>
      </header>
      <main class="content" id="content" tabIndex={-1}>
        {mustChooseTenant ? <h1>Choose a tenant in the menu</h1> : children}
      </main>
    </div>
  );
}

function Menu({ path }: { path: string }) {
  const isCurrent = (href: string): boolean => (href === '/console' ? path === href : path.startsWith(href));
  return (
    <>
      {SECTIONS.map(({ title, links }) => (
        <div key={title}>
          {title && <div class="menu-title">{title}</div>}
          <ul class="menu">
            {links.map(({ href, label }) => (
              <li key={href}>
                <a href={href} aria-current={isCurrent(href) ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}
