import type { Role } from '../../../base/roles.ts';
import { canRead } from '../../api/session.ts';
import { CONFIGURATION_TABS } from '../../screens/configuration/Configuration.tsx';
import { KINDS } from '../../screens/configuration/entityLists.ts';
import { operationsTabs } from '../../screens/operations/Operations.tsx';
import { addressOfScreen, allScreens } from '../../screens.ts';
import { isAllowed } from '../../ui/Allowed.tsx';

/** Something that the search finds. */
export interface Target {
  label: string;
  /** Beside the label: what it is, or its key. */
  detail?: string;
  /** Where it leads. */
  address: string;
  /** URL of an image; null for an item that could have one. */
  badge?: string | null;
  /** The keys that do the same, in their order. */
  keys?: string[];
}

/** All screens, with the tabs of those that have some. */
export const screenTargets = (): Target[] => [
  ...allScreens().flatMap((screen): Target[] =>
    screen.label === undefined
      ? []
      : [
          {
            label: screen.label,
            address: addressOfScreen(screen),
            keys: screen.letter === undefined ? undefined : ['g', screen.letter],
          },
        ],
  ),
  ...tabTargets('Configuration', '/console/configuration', CONFIGURATION_TABS),
  ...tabTargets('Operations', '/console/operations', operationsTabs()),
];

const tabTargets = (detail: string, base: string, tabs: { name: string; label: string }[]): Target[] =>
  tabs.map(({ name, label }) => ({ label, detail, address: `${base}/${name}` }));

interface Command {
  label: string;
  address: string;
  needs: Role;
  isOfAccount?: boolean;
}

const COMMANDS: Command[] = [
  ...KINDS.map(
    ({ name, one }): Command => ({
      label: `Create ${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`,
      address: `/console/configuration/${name}/new`,
      needs: 'admin',
    }),
  ),
  { label: 'Send an event', address: '/console#event-form', needs: 'operate' },
  { label: 'Save users as a file', address: '/console/users', needs: 'read' },
  { label: 'Apply a configuration file', address: '/console/configuration/file', needs: 'admin' },
  { label: 'Go back to an earlier configuration', address: '/console/configuration/history', needs: 'admin' },
  {
    label: 'Replay dead entries',
    address: '/console/operations/status',
    needs: 'operate',
    isOfAccount: true,
  },
  { label: 'Send failed deliveries again', address: '/console/operations/deliveries', needs: 'operate' },
  { label: 'Create an admin key', address: '/console/operations/keys', needs: 'admin', isOfAccount: true },
];

/** What the role of the session may do. */
export const commandTargets = (): Target[] =>
  COMMANDS.filter((command) => isAllowed(command.needs) && canRead(command)).map(({ label, address }) => ({
    label,
    address,
  }));

const isWordStart = (text: string, found: string): boolean =>
  text.startsWith(found) || text.includes(` ${found}`);

/** 0 for the best match; null for none. Every word of the query must be in the label or the detail. */
function matchOf({ label, detail = '' }: Target, query: string): number | null {
  const name = label.toLowerCase();
  const whole = `${name} ${detail.toLowerCase()}`;
  if (!query.split(/\s+/).every((word) => whole.includes(word))) return null;
  return name.startsWith(query) ? 0 : isWordStart(whole, query) ? 1 : 2;
}

/** The best matches, best first; all targets if nothing is searched for. */
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
