import { nameInContract, t } from '../../text/translate.ts';

/** Kinds of changes, grouped by subject. */
export const KIND_GROUPS: { title: string; kinds: readonly string[] }[] = [
  {
    title: t('Access'),
    kinds: ['adminKeys', 'applicationKeys', 'userTokenSecrets', 'sessions', 'tenants'],
  },
  {
    title: t('Users'),
    kinds: [
      ...['users', 'blockedUsers', 'heldEvents', 'undoneEvents', 'hiddenUsers', 'pointsAdjustments'],
      ...['completions', 'challengeCompletions', 'streaks', 'streakFreezes', 'streakPauses', 'userMessages'],
    ],
  },
  {
    title: t('Configuration'),
    kinds: [
      ...['settings', 'metrics', 'streak', 'achievements', 'pointsSystems', 'pointsTriggers'],
      ...['pointsLevels', 'pointsBoosts', 'leaderboards', 'challenges', 'attributes', 'webhooks'],
      'notificationTemplates',
    ],
  },
  { title: t('Operations'), kinds: ['imports', 'dead', 'testMessages', 'testClock'] },
];

/** Kinds whose name in the API is not clear enough. */
const NAMED: Record<string, string> = {
  users: t('Erased and renamed users'),
  streak: t('Streak settings'),
  streaks: t('Restored and reset streaks'),
  completions: t('Granted and revoked achievements'),
  dead: t('Replays'),
};

export const kindName = (kind: string): string => NAMED[kind] ?? nameInContract(kind);
