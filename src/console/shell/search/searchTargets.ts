import type { Role } from '../../../base/roles.ts';
import { canRead } from '../../api/session.ts';
import { CONFIGURATION, CONFIGURATION_TABS } from '../../screens/configuration/configurationTabs.ts';
import { KINDS } from '../../screens/configuration/entityLists.ts';
import { OPERATIONS, operationsTabs } from '../../screens/operations/operationsTabs.ts';
import { t } from '../../text/translate.ts';
import { isAllowed } from '../../ui/Allowed.tsx';
import { addressOfScreen, allScreens } from '../screens.ts';

/** A result of the search. */
export interface Target {
  label: string;
  /** Shown beside the label: the kind or the key. */
  detail?: string;
  address: string;
  /** URL of an image; null for an item that could have one. */
  badge?: string | null;
  /** Its shortcut. */
  keys?: string[];
}

/** All screens and their tabs. */
export const screenTargets = (): Target[] => [
  ...allScreens().flatMap((screen): Target[] => {
    const { label, letter } = screen;
    const keys = letter === undefined ? undefined : ['g', letter];
    return label === undefined ? [] : [{ label, address: addressOfScreen(screen), keys }];
  }),
  ...tabTargets(t('Configuration'), CONFIGURATION, CONFIGURATION_TABS),
  ...tabTargets(t('Operations'), OPERATIONS, operationsTabs()),
];

const tabTargets = (detail: string, base: string, tabs: { name: string; label: string }[]): Target[] =>
  tabs.map(({ name, label }) => ({ label, detail, address: `${base}/${name}` }));

interface Command extends Target {
  needs: Role;
  scope?: 'account';
}

const COMMANDS: Command[] = [
  ...KINDS.map(
    ({ name, create }): Command => ({
      label: create,
      address: `/console/configuration/${name}/new`,
      needs: 'admin',
    }),
  ),
  { label: t('Send event'), address: '/console#event-form', needs: 'operate' },
  { label: t('Export users as CSV'), address: '/console/users', needs: 'read' },
  { label: t('Import configuration file'), address: '/console/configuration/file', needs: 'admin' },
  { label: t('Restore earlier configuration'), address: '/console/configuration/history', needs: 'admin' },
  {
    label: t('Retry dead entries'),
    address: '/console/operations/status',
    needs: 'operate',
    scope: 'account',
  },
  { label: t('Resend failed deliveries'), address: '/console/operations/deliveries', needs: 'operate' },
  { label: t('Create admin key'), address: '/console/operations/keys', needs: 'admin', scope: 'account' },
];

/** The commands that the session may use. */
export const commandTargets = (): Target[] =>
  COMMANDS.filter((command) => isAllowed(command.needs) && canRead(command));

const isWordStart = (text: string, found: string): boolean =>
  text.startsWith(found) || text.includes(` ${found}`);

/** 0 for the best match; null for none. Every word of the query must be in the label or the detail. */
function matchOf({ label, detail = '' }: Target, query: string): number | null {
  const name = label.toLowerCase();
  const whole = `${name} ${detail.toLowerCase()}`;
  if (!query.split(/\s+/).every((word) => whole.includes(word))) return null;
  return name.startsWith(query) ? 0 : isWordStart(whole, query) ? 1 : 2;
}

/** The best matches, best first; all targets for an empty text. */
export function findTargets(targets: Target[], text: string, max: number): Target[] {
  const query = text.trim().toLowerCase();
  return targets
    .flatMap((target) => {
      const match = matchOf(target, query);
      return match === null ? [] : [{ target, match }];
    })
    .sort((a, b) => a.match - b.match)
    .slice(0, max)
    .map(({ target }) => target);
}
