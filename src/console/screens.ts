import type { ComponentType } from 'preact';
import { canRead } from './api/session.ts';
import { AchievementScreen, Achievements } from './screens/achievements/Achievements.tsx';
import { Anomalies } from './screens/anomalies/Anomalies.tsx';
import {
  Configuration,
  ConfigurationItem,
  ConfigurationPart,
} from './screens/configuration/Configuration.tsx';
import { Experiment } from './screens/experiment/Experiment.tsx';
import { HeldEvents } from './screens/heldEvents/HeldEvents.tsx';
import { LeaderboardScreen } from './screens/leaderboards/LeaderboardScreen.tsx';
import { Leaderboards } from './screens/leaderboards/Leaderboards.tsx';
import { Operations } from './screens/operations/Operations.tsx';
import { Overview } from './screens/overview/Overview.tsx';
import { Points } from './screens/points/Points.tsx';
import { Streaks } from './screens/streaks/Streaks.tsx';
import { TestClock } from './screens/testClock/TestClock.tsx';
import { UserScreen } from './screens/users/UserScreen.tsx';
import { Users } from './screens/users/Users.tsx';
import type { IconName } from './ui/Icon.tsx';

interface Screen {
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: each screen has the parameters of its path
  component: ComponentType<any>;
  /** Of the entry in the menu; screens without one are reached from another screen. */
  label?: string;
  icon?: IconName;
  /** The letter that opens the screen after `g`. */
  letter?: string;
  /** It shows the whole account, which sessions of one tenant cannot read. */
  isOfAccount?: boolean;
  /** Address of what waits for a decision; the menu shows `waiting` of the answer. */
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
      { path: '/console', component: Overview, label: 'Overview', icon: 'overview', letter: 'o' },
      { path: '/console/users', component: Users, label: 'Users', icon: 'users', letter: 'u' },
      { path: '/console/users/:id', component: UserScreen },
      {
        path: '/console/held-events',
        component: HeldEvents,
        label: 'Held events',
        icon: 'held',
        letter: 'h',
        waiting: '/held-events',
      },
    ],
  },
  {
    title: 'Analytics',
    screens: [
      {
        path: '/console/achievements',
        component: Achievements,
        label: 'Achievements',
        icon: 'achievements',
        letter: 'a',
      },
      { path: '/console/achievements/:id', component: AchievementScreen },
      { path: '/console/streaks', component: Streaks, label: 'Streaks', icon: 'streaks', letter: 's' },
      { path: '/console/points', component: Points, label: 'Points', icon: 'points', letter: 'p' },
      {
        path: '/console/leaderboards',
        component: Leaderboards,
        label: 'Leaderboards',
        icon: 'leaderboards',
        letter: 'l',
      },
      { path: '/console/leaderboards/:id', component: LeaderboardScreen },
      {
        path: '/console/experiment',
        component: Experiment,
        label: 'Experiment',
        icon: 'experiment',
        letter: 'e',
      },
      {
        path: '/console/anomalies',
        component: Anomalies,
        label: 'Anomalies',
        icon: 'anomalies',
        letter: 'n',
      },
    ],
  },
  {
    title: 'Manage',
    screens: [
      {
        path: '/console/configuration/:kind?',
        component: Configuration,
        label: 'Configuration',
        icon: 'configuration',
        letter: 'c',
      },
      { path: '/console/configuration/:kind/:id', component: ConfigurationItem },
      { path: '/console/configuration/points/:id/:part/:partId', component: ConfigurationPart },
      {
        path: '/console/test-clock',
        component: TestClock,
        label: 'Test clock',
        icon: 'clock',
        letter: 't',
        isOfAccount: true,
      },
      {
        path: '/console/operations/:part?',
        component: Operations,
        label: 'Operations',
        icon: 'operations',
        letter: 'r',
      },
    ],
  },
];

/** The screens that the session can read, in the sections of the menu. */
export const menuSections = (): Section[] =>
  SECTIONS.map(({ title, screens }) => ({ title, screens: screens.filter(canRead) }));

export const allScreens = (): Screen[] => menuSections().flatMap(({ screens }) => screens);

/** The address of a screen without its optional parameter. */
export const addressOfScreen = ({ path }: { path: string }): string => path.replace(/\/:\w+\?$/, '');
