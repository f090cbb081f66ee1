import { LocationProvider, Route, Router } from 'preact-iso';
import { session } from './api/session.ts';
import { NotFound } from './screens/NotFound.tsx';
import { Overview } from './screens/overview/Overview.tsx';
import { SignIn } from './screens/SignIn.tsx';
import { UserScreen } from './screens/users/UserScreen.tsx';
import { Users } from './screens/users/Users.tsx';
import { Shell } from './shell/Shell.tsx';
import { Announcements } from './ui/announcements.tsx';

/** The console: who is not signed in sees how to sign in, at every address. */
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
            <Route default component={NotFound} />
          </Router>
        </Shell>
      )}
      <Announcements />
    </LocationProvider>
  );
}
