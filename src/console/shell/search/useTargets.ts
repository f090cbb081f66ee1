import { useEffect, useState } from 'preact/hooks';
import { useApi, useList } from '../../api/useApi.ts';
import { badgeOf, type Item, KINDS, type Kind, nameOf } from '../../screens/configuration/entityLists.ts';
import { userAddress } from '../../screens/users/userAddress.tsx';
import { t } from '../../text/translate.ts';
import { commandTargets, findTargets, screenTargets, type Target } from './searchTargets.ts';

export interface TargetGroup {
  title: string;
  targets: Target[];
}

/** Targets that are shown of a group. */
const GROUP_MAX = 8;
/** Pause in typing after which users are searched. */
const PAUSE_MS = 200;

/** Analytics of items, by the kind. */
const ANALYTICS: Partial<Record<Kind['name'], string>> = {
  achievements: '/console/achievements',
  leaderboards: '/console/leaderboards',
};

/** The results of a search, in groups. @param hasTenant whether users and items can be read */
export function useTargets(
  text: string,
  hasTenant: boolean,
): { groups: TargetGroup[]; error: string | null } {
  const items = KINDS.flatMap((kind) => useItems(kind, hasTenant));
  const users = useUsers(text, hasTenant);
  const groups = [
    { title: t('Screens'), targets: findTargets(screenTargets(), text, GROUP_MAX) },
    { title: t('Commands'), targets: findTargets(commandTargets(), text, GROUP_MAX) },
    { title: t('Configuration'), targets: text.trim() === '' ? [] : findTargets(items, text, GROUP_MAX) },
    { title: t('Users'), targets: users.targets },
  ];
  return { groups: groups.filter(({ targets }) => targets.length > 0), error: users.error };
}

function useItems(kind: Kind, hasTenant: boolean): Target[] {
  const items = useList<string, Item>(hasTenant ? kind.path : null).data ?? [];
  const analytics = ANALYTICS[kind.name];
  return items.flatMap((item) => {
    const target = {
      label: nameOf(item),
      detail: [kind.one, item.key].filter(Boolean).join(' '),
      address: `/console/configuration/${kind.name}/${item.id}`,
      badge: badgeOf(item),
    };
    if (analytics === undefined) return [target];
    const address = `${analytics}/${encodeURIComponent(item.key!)}`;
    return [target, { ...target, detail: t('analytics of {detail}', { detail: target.detail }), address }];
  });
}

function useUsers(text: string, hasTenant: boolean): { targets: Target[]; error: string | null } {
  const [query, setQuery] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQuery(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isSearched = hasTenant && query !== '' && query === text.trim();
  const { data, error } = useApi(isSearched ? '/users' : null, { query, limit: GROUP_MAX });
  const targets = (data?.users ?? []).map(({ id, name, email }) => ({
    label: name ?? id,
    detail: [name && id, email].filter(Boolean).join(' · '),
    address: userAddress(id),
  }));
  return { targets, error: error && t('User search failed. {message}', { message: error.message }) };
}
