import { LocationProvider, Route, Router } from 'preact-iso';
import { session } from './api/session.ts';
import { AchievementScreen, Achievements } from './screens/achievements/Achievements.tsx';
import { Configuration, ConfigurationItem, ConfigurationPart } from './screens/configuration/Configuration.tsx';
import { Experiment } from './screens/experiment/Experiment.tsx';
import { LeaderboardScreen } from './screens/leaderboards/LeaderboardScreen.tsx';
import { Leaderboards } from './screens/leaderboards/Leaderboards.tsx';
import { NotFound } from './screens/NotFound.tsx';
import { Operations } from './screens/operations/Operations.tsx';
import { Overview } from './screens/overview/Overview.tsx';
import { Points } from './screens/points/Points.tsx';
import { SignIn } from './screens/SignIn.tsx';
import { Streaks } from './screens/streaks/Streaks.tsx';
import { TestClock } from './screens/testClock/TestClock.tsx';
import { UserScreen } from './screens/users/UserScreen.tsx';
import { Users } from './screens/users/Users.tsx';
import { Shell } from './shell/Shell.tsx';
import { Announcements } from './ui/announcements.tsx';

/** The console. Without a session, every address shows how to sign in. */
export function App() {
  return (
    <LocationProvider scope="/console">
      {session.value === null ? (
        <SignIn />
      ) : (
        <Shell>
          <Router>
            <Route path="/console" component={Overview} />
            <Route path="/console/users" component={Users} />
            <Route path="/console/users/:id" component={UserScreen} />
            <Route path="/console/achievements" component={Achievements} />
            <Route path="/console/achievements/:id" component={AchievementScreen} />
            <Route path="/console/streaks" component={Streaks} />
            <Route path="/console/points" component={Points} />
            <Route path="/console/leaderboards" component={Leaderboards} />
            <Route path="/console/leaderboards/:id" component={LeaderboardScreen} />
            <Route path="/console/experiment" component={Experiment} />
            <Route path="/console/test-clock" component={TestClock} />
            <Route path="/console/configuration/:kind?" component={Configuration} />
            <Route path="/console/configuration/:kind/:id" component={ConfigurationItem} />
            <Route path="/console/configuration/points/:id/:part/:partId" component={ConfigurationPart} />
            <Route path="/console/operations/:part?" component={Operations} />
            <Route default component={NotFound} />
          </Router>
        </Shell>
      )}
      <Announcements />
    </LocationProvider>
  );
}
