import type { ComponentType } from 'preact';
import { canRead } from '../api/session.ts';
import { AchievementScreen, Achievements } from '../screens/achievements/Achievements.tsx';
import { Anomalies } from '../screens/anomalies/Anomalies.tsx';
import { ChallengeScreen, Challenges } from '../screens/challenges/Challenges.tsx';
import {
  Configuration,
  ConfigurationItem,
  ConfigurationPart,
} from '../screens/configuration/Configuration.tsx';
import { Experiment } from '../screens/experiment/Experiment.tsx';
import { HeldEvents } from '../screens/heldEvents/HeldEvents.tsx';
import { LeaderboardScreen } from '../screens/leaderboards/LeaderboardScreen.tsx';
import { Leaderboards } from '../screens/leaderboards/Leaderboards.tsx';
import { Operations } from '../screens/operations/Operations.tsx';
import { Overview } from '../screens/overview/Overview.tsx';
import { Points } from '../screens/points/Points.tsx';
import { Streaks } from '../screens/streaks/Streaks.tsx';
import { TestClock } from '../screens/testClock/TestClock.tsx';
import { UserScreen } from '../screens/users/UserScreen.tsx';
import { Users } from '../screens/users/Users.tsx';

export interface Screen {
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: each screen has the parameters of its path
  component: ComponentType<any>;
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
      { path: '/console', component: Overview, label: 'Overview', letter: 'o' },
      { path: '/console/users', component: Users, label: 'Users', letter: 'u' },
      { path: '/console/users/:id', component: UserScreen },
      {
        path: '/console/held-events',
        component: HeldEvents,
        label: 'Held events',
        letter: 'h',
        waiting: '/held-events',
      },
    ],
  },
  {
    title: 'Analytics',
    screens: [
      { path: '/console/achievements', component: Achievements, label: 'Achievements', letter: 'a' },
      { path: '/console/achievements/:id', component: AchievementScreen },
      { path: '/console/streaks', component: Streaks, label: 'Streaks', letter: 's' },
      { path: '/console/points', component: Points, label: 'Points', letter: 'p' },
      { path: '/console/leaderboards', component: Leaderboards, label: 'Leaderboards', letter: 'l' },
      { path: '/console/leaderboards/:id', component: LeaderboardScreen },
      { path: '/console/challenges', component: Challenges, label: 'Challenges', letter: 'g' },
      { path: '/console/challenges/:id', component: ChallengeScreen },
      { path: '/console/experiment', component: Experiment, label: 'Experiment', letter: 'e' },
      { path: '/console/anomalies', component: Anomalies, label: 'Anomalies', letter: 'n' },
    ],
  },
  {
    title: 'Manage',
    screens: [
      {
        path: '/console/configuration/:kind?',
        component: Configuration,
        label: 'Configuration',
        letter: 'c',
      },
      { path: '/console/configuration/:kind/:id', component: ConfigurationItem },
      { path: '/console/configuration/points/:id/:part/:partId', component: ConfigurationPart },
      {
        path: '/console/test-clock',
        component: TestClock,
        label: 'Test clock',
        letter: 't',
        scope: 'account',
      },
      { path: '/console/operations/:part?', component: Operations, label: 'Operations', letter: 'r' },
    ],
  },
];

/** The screens that the session may read, by section of the menu. */
export const menuSections = (): Section[] =>
  SECTIONS.map(({ title, screens }) => ({ title, screens: screens.filter(canRead) }));

export const allScreens = (): Screen[] => menuSections().flatMap(({ screens }) => screens);

/** The address of a screen without its optional parameter. */
export const addressOfScreen = ({ path }: { path: string }): string => path.replace(/\/:\w+\?$/, '');
