import type { AttributeType, ValueType } from '../../../contract/kinds/attributeKind.ts';
import { useList } from '../../api/useApi.ts';
import type { AttributeName } from './conditionText.ts';

export interface ListedAttribute {
  key: string;
  name: string;
  type: AttributeType;
  valueType: ValueType;
}

/** The attributes of the configuration; none while they are read. */
export function useAttributes(): ListedAttribute[] {
  type Listed = Omit<ListedAttribute, 'valueType'> & { valueType?: ValueType };
  const { data } = useList<string, Listed>('/attributes');
  return (data ?? []).map(({ key, name, type, valueType = 'text' }) => ({ key, name, type, valueType }));
}

export const useEventAttributes = (): ListedAttribute[] =>
  useAttributes().filter(({ type }) => type === 'event');

/** Finds names of attributes. */
export const nameAmong =
  (attributes: readonly ListedAttribute[]): AttributeName =>
  (key, type) =>
    attributes.find((one) => one.key === key && one.type === type)?.name ?? key;
