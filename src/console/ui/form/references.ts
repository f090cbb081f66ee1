import { useList } from '../../api/useApi.ts';
import type { Choice, Reference } from './schema.ts';

interface Configured {
  id: string;
  key: string;
  name: string;
  type?: string;
  badge?: { url: string } | null;
}

/** Items that can be chosen; null while they are read. */
export function useChoices(reference: Reference | null): Choice[] | null {
  const { data } = useList<string, Configured>(reference?.path ?? null);
  if (reference === null || data === null) return null;
  return data
    .filter(({ type }) => reference.type === undefined || type === reference.type)
    .map(({ id, key, name, badge }) => ({
      value: reference.by === 'id' ? id : key,
      label: name,
      detail: key,
      badge: badge === undefined ? undefined : (badge?.url ?? null),
    }));
}
