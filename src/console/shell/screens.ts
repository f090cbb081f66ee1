import { canRead } from '../api/session.ts';
import { t } from '../text/translate.ts';
import { type LazyComponent, screenFrom } from './screenFrom.tsx';

const ofAchievements = () => import('../screens/achievements/Achievements.tsx');
const ofChallenges = () => import('../screens/challenges/Challenges.tsx');
const ofConfiguration = () => import('../screens/configuration/Configuration.tsx');

export interface Screen {
  path: string;
  component: LazyComponent;
  /** Of the menu entry; screens without it are reached from another screen. */
  label?: string;
  /** The letter that opens the screen after `g`. */
  letter?: string;
  /** Shows the account; hidden from sessions of one tenant. */
  scope?: 'account';
  /** Path of a list whose `waiting` entries the menu counts. */
  waiting?: string;
}

interface Section {
  title: string | null;
  screens: Screen[];
}

const SECTIONS: Section[] = [
  {
    title: null,
    screens: [
      {
        path: '/console',
        component: screenFrom(() => import('../screens/overview/Overview.tsx'), 'Overview'),
        label: t('Overview'),
        letter: 'o',
      },
      {
        path: '/console/users',
        component: screenFrom(() => import('../screens/users/Users.tsx'), 'Users'),
        label: t('Users'),
        letter: 'u',
      },
      {
        path: '/console/users/:id',
        component: screenFrom(() => import('../screens/users/UserScreen.tsx'), 'UserScreen'),
      },
      {
        path: '/console/held-events',
        component: screenFrom(() => import('../screens/heldEvents/HeldEvents.tsx'), 'HeldEvents'),
        label: t('Held events'),
        letter: 'h',
        waiting: '/held-events',
      },
    ],
  },
  {
    title: t('Analytics'),
    screens: [
      {
        path: '/console/achievements',
        component: screenFrom(ofAchievements, 'Achievements'),
        label: t('Achievements'),
        letter: 'a',
      },
      { path: '/console/achievements/:id', component: screenFrom(ofAchievements, 'AchievementScreen') },
      {
        path: '/console/streaks',
        component: screenFrom(() => import('../screens/streaks/Streaks.tsx'), 'Streaks'),
        label: t('Streaks'),
        letter: 's',
      },
      {
        path: '/console/points',
        component: screenFrom(() => import('../screens/points/Points.tsx'), 'Points'),
        label: t('Points'),
        letter: 'p',
      },
      {
        path: '/console/leaderboards',
        component: screenFrom(() => import('../screens/leaderboards/Leaderboards.tsx'), 'Leaderboards'),
        label: t('Leaderboards'),
        letter: 'l',
      },
      {
        path: '/console/leaderboards/:id',
        component: screenFrom(
          () => import('../screens/leaderboards/LeaderboardScreen.tsx'),
          'LeaderboardScreen',
        ),
      },
      {
        path: '/console/challenges',
        component: screenFrom(ofChallenges, 'Challenges'),
        label: t('Challenges'),
        letter: 'g',
      },
      { path: '/console/challenges/:id', component: screenFrom(ofChallenges, 'ChallengeScreen') },
      {
        path: '/console/experiment',
        component: screenFrom(() => import('../screens/experiment/Experiment.tsx'), 'Experiment'),
        label: t('Experiment'),
        letter: 'e',
      },
      {
        path: '/console/anomalies',
        component: screenFrom(() => import('../screens/anomalies/Anomalies.tsx'), 'Anomalies'),
        label: t('Anomalies'),
        letter: 'n',
      },
    ],
  },
  {
    title: t('Manage'),
    screens: [
      {
        path: '/console/configuration/:kind?',
        component: screenFrom(ofConfiguration, 'Configuration'),
        label: t('Configuration'),
        letter: 'c',
      },
      {
        path: '/console/configuration/:kind/:id',
        component: screenFrom(ofConfiguration, 'ConfigurationItem'),
      },
      {
        path: '/console/configuration/points/:id/:part/:partId',
        component: screenFrom(ofConfiguration, 'ConfigurationPart'),
      },
      {
        path: '/console/test-clock',
        component: screenFrom(() => import('../screens/testClock/TestClock.tsx'), 'TestClock'),
        label: t('Test clock'),
        letter: 't',
        scope: 'account',
      },
      {
        path: '/console/operations/:part?',
        component: screenFrom(() => import('../screens/operations/Operations.tsx'), 'Operations'),
        label: t('Operations'),
        letter: 'r',
      },
    ],
  },
];

/** The screens that the session may read, by section of the menu. */
export const menuSections = (): Section[] =>
  SECTIONS.map(({ title, screens }) => ({ title, screens: screens.filter(canRead) }));

export const allScreens = (): Screen[] => menuSections().flatMap(({ screens }) => screens);

/** The address of a screen without its optional parameter. */
export const addressOfScreen = ({ path }: { path: string }): string => path.replace(/\/:\w+\?$/, '');
