import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso';
import { session } from './api/session.ts';
import { NotFound } from './screens/NotFound.tsx';
import { SignIn } from './screens/SignIn.tsx';
import { Shell } from './shell/Shell.tsx';
import { loadParts } from './shell/screenFrom.tsx';
import { allScreens } from './shell/screens.ts';
import { Announcements } from './ui/announcements.tsx';
import { UnsavedQuestion } from './ui/form/UnsavedQuestion.tsx';

/** The console. Without a session, every address shows how to sign in. */
export function App() {
  return (
    <LocationProvider scope="/console">
      {session.value === undefined ? null : session.value === null ? (
        <SignIn />
      ) : (
        <ErrorBoundary>
          <Shell>
            <Router onLoadEnd={loadParts}>
              {allScreens().map(({ path, component }) => (
                <Route key={path} path={path} component={component} />
              ))}
              <Route default component={NotFound} />
            </Router>
          </Shell>
        </ErrorBoundary>
      )}
      <UnsavedQuestion />
      <Announcements />
    </LocationProvider>
  );
}
