import type { ValueType } from '../../../contract/kinds/attributeKind.ts';
import { useList } from '../../api/useApi.ts';

export interface EventAttribute {
  key: string;
  name: string;
  valueType: ValueType;
}

interface Listed {
  key: string;
  name: string;
  type: string;
  valueType?: ValueType;
}

/** The event attributes of the configuration; none while they are read. */
export function useEventAttributes(): EventAttribute[] {
  const { data } = useList<string, Listed>('/attributes');
  return (data ?? [])
    .filter(({ type }) => type === 'event')
    .map(({ key, name, valueType = 'text' }) => ({ key, name, valueType }));
}

/** Finds names of event attributes by key. */
export const nameAmong =
  (attributes: readonly EventAttribute[]) =>
  (key: string): string =>
    attributes.find((one) => one.key === key)?.name ?? key;
