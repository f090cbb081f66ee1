import { t } from '../../text/translate.ts';
import { KINDS } from './entityLists.ts';

/** Address of the configuration. */
export const CONFIGURATION = '/console/configuration';

const [METRICS, ...OTHERS] = KINDS.map(({ name, many }) => ({ name, label: many }));
export const CONFIGURATION_TABS = [
  METRICS!,
  { name: 'streak', label: t('Streak') },
  ...OTHERS,
  { name: 'settings', label: t('Settings') },
  { name: 'file', label: t('File') },
  { name: 'history', label: t('History') },
];
