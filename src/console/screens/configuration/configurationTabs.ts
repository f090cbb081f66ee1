import { KINDS } from './entityLists.ts';

/** Address of the configuration. */
export const CONFIGURATION = '/console/configuration';

const [METRICS, ...OTHERS] = KINDS.map(({ name, many }) => ({ name, label: many }));
export const CONFIGURATION_TABS = [
  METRICS!,
  { name: 'streak', label: 'Streak' },
  ...OTHERS,
  { name: 'settings', label: 'Settings' },
  { name: 'file', label: 'File' },
  { name: 'history', label: 'History' },
];
