import type { ChangedItem } from '../../../contract/changedItem.ts';

const BASE = '/console/configuration';
/** Kinds with a different name in addresses. */
const NAMES: Record<string, string> = { pointsSystems: 'points', notificationTemplates: 'templates' };
/** Parts of a points system. */
const PARTS: Record<string, string> = {
  pointsLevels: 'levels',
  pointsTriggers: 'triggers',
  pointsBoosts: 'boosts',
};

/** Address of an item of the configuration. */
export const itemAddress = ({ kind, id, systemId }: ChangedItem): string =>
  systemId === undefined
    ? `${BASE}/${NAMES[kind] ?? kind}/${id}`
    : `${BASE}/points/${systemId}/${PARTS[kind]}/${id}`;
