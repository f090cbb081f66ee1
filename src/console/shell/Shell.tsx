import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Role } from '../../base/roles.ts';
import { isForAccount, session, signOut, tenant } from '../api/session.ts';
import type { Settings } from '../api/types.ts';
import { useApi } from '../api/useApi.ts';
import { useTestClock } from '../api/useTestClock.ts';
import { formatMinute, formatNumber } from '../text/format.ts';
import { t, translated } from '../text/translate.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Loading } from '../ui/Loading.tsx';
import { HealthBanner } from './HealthBanner.tsx';
import { LanguageChoice } from './LanguageChoice.tsx';
import { PlayedDays } from './PlayedDays.tsx';
import { addressOfScreen, menuSections, type Screen } from './screens.ts';
import { SearchButton } from './search/panel.tsx';
import { Shortcuts } from './search/Shortcuts.tsx';
import { ChooseTenant, TenantChoice } from './TenantChoice.tsx';

/** Put in by the build (vite.config.ts). */
declare const __VERSION__: string;

/** Screens of the account: with multi-tenancy, they need no tenant. */
const OF_ACCOUNT = [
  '/console/configuration/settings',
  '/console/test-clock',
  ...['', '/status', '/keys', '/sessions', '/tenants', '/audit'].map((part) => `/console/operations${part}`),
];
/** Polling interval of the settings. They are also read after each change. */
const SETTINGS_MS = 30_000;

/** Navigation around every screen. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const isAccount = tenant.value === null && isForAccount();
  const settings = useApi(isAccount ? '/settings' : null, {}, { everyMs: SETTINGS_MS });
  useEffect(() => setOpen(false), [path]);
  const needsTenant = isAccount && !OF_ACCOUNT.includes(path);
  const hasTenant = !isAccount || (settings.data !== null && !settings.data.multiTenancy);
  const menu = { path, hasTenant, settings: settings.data };
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {t('Skip to content')}
      </a>
      <header class={`sidebar ${isOpen ? 'open' : ''}`}>
        <div class="sidebar-top">
          <a class="brand" href="/console">
            <Laurel /> laurel
          </a>
          <button type="button" class="menu-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t('Menu')}
          </button>
        </div>
        <SearchButton />
        <nav aria-label={t('Console')}>
          <Menu {...menu} />
        </nav>
        <div class="sidebar-end small">
          <ClockNote />
          <TenantChoice />
          <LanguageChoice />
          <span class="soft">
            <a href="/docs/">{t('Docs')}</a> · {__VERSION__}
          </span>
          <SignOut />
        </div>
      </header>
      <main class="content" id="content" tabIndex={-1}>
        <HealthBanner />
        {hasTenant && <PlayedDays />}
        {needsTenant && settings.data?.multiTenancy ? (
          <ChooseTenant />
        ) : needsTenant && settings.isLoading ? (
          <Loading of={settings}>{() => null}</Loading>
        ) : (
          children
        )}
      </main>
      <Shortcuts hasTenant={hasTenant} />
    </div>
  );
}

/** Rights of a role. */
const ROLE_MEANING: Record<Role, string> = {
  read: t('You can view everything.'),
  operate: t('You can view everything and change users.'),
  admin: t('You can change everything.'),
};

function SignOut() {
  if (!session.value) return null;
  const { name, role } = session.value;
  return (
    <div class="stack">
      <span>
        {isForAccount() ? <a href="/console/operations/sessions">{name}</a> : name} ({translated(role)})
        <br />
        <span class="soft">
          {ROLE_MEANING[role]} {!isForAccount() && t('Limited to one tenant.')}
        </span>
      </span>
      <div>
        <ActionButton work={signOut}>{t('Sign out')}</ActionButton>
      </div>
    </div>
  );
}

interface MenuProps {
  path: string;
  hasTenant: boolean;
  /** Of the account; null if a tenant is chosen. */
  settings: Settings | null;
}

function Menu(props: MenuProps) {
  return (
    <>
      {menuSections().map(({ title, screens }) => (
        <div key={title}>
          {title && <div class="menu-title">{title}</div>}
          <ul class="menu">
            {screens.map((screen) => screen.label && <MenuEntry key={screen.path} of={screen} {...props} />)}
          </ul>
        </div>
      ))}
    </>
  );
}

function MenuEntry({ of, path, hasTenant, settings }: MenuProps & { of: Screen }) {
  const { label, waiting } = of;
  const href = addressOfScreen(of);
  const isCurrent = href === '/console' ? path === href : path.startsWith(href);
  return (
    <li>
      <a href={href} aria-current={isCurrent ? 'page' : undefined}>
        <Icon of={href} />
        {label}
        {waiting && hasTenant && <Waiting of={waiting} settings={settings} />}
      </a>
    </li>
  );
}

/**
 * Number of entries that wait for a decision; nothing if none does. Without a tenant, it is read after each
 * read of the settings, which tell whether the account has tenants.
 */
function Waiting({ of, settings }: { of: string; settings: Settings | null }) {
  const every = settings === null ? { everyMs: SETTINGS_MS } : {};
  const { data, reload } = useApi<string, { waiting: number }>(of, { limit: 1 }, every);
  useEffect(() => void reload(), [settings]);
  const waiting = data?.waiting ?? 0;
  return waiting > 0 && <span class="waiting">{formatNumber(waiting)}</span>;
}

/** The time of the test clock, if the service has one. */
function ClockNote() {
  const { now, stopped } = useTestClock().data ?? {};
  if (now === undefined) return null;
  return (
    <span class="soft">
      {stopped ? t('Test clock (stopped)') : t('Test clock')}
      <br />
      <time dateTime={now}>{formatMinute(now, 'UTC')} UTC</time>
    </span>
  );
}

/** The logo. */
function Laurel() {
  const leaves = [
    [4.6, 8, -10],
    [9.5, 13, 38],
    [11, 19.5, 32],
  ] as const;
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true" fill="currentColor">
      <path
        d="M16 28C8 27 4 21 5 11M16 28c8-1 12-7 11-17"
        fill="none"
        stroke="currentColor"
        stroke-width="2.4"
        stroke-linecap="round"
      />
      {leaves.map(([x, y, angle]) => (
        <g key={x}>
          <ellipse cx={x} cy={y} rx="2" ry="4" transform={`rotate(${angle} ${x} ${y})`} />
          <ellipse cx={32 - x} cy={y} rx="2" ry="4" transform={`rotate(${-angle} ${32 - x} ${y})`} />
        </g>
      ))}
    </svg>
  );
}
