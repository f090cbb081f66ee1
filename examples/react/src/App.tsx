import { LaurelProvider, useLeaderboard, usePoints, useRecordEvent, useStreak, useUser } from 'laurel-react';
import { type FormEvent, useState } from 'react';
import { Toasts, useToasts } from './toasts';

/** What the backend answers when somebody signs in: the user, and the address of laurel. */
interface SignedIn {
  id: string;
  url: string;
}

async function getToken(): Promise<string> {
  const answer = await fetch('/laurel-token');
  if (!answer.ok) throw new Error('You are signed out');
  return answer.text();
}

export function App() {
  const [user, setUser] = useState<SignedIn | null>(null);
  if (user === null) return <SignIn onSignIn={setUser} />;
  return (
    <LaurelProvider key={user.id} url={user.url} getToken={getToken}>
      <Lessons />
    </LaurelProvider>
  );
}

function SignIn({ onSignIn }: { onSignIn: (user: SignedIn) => void }) {
  async function signIn(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name'));
    const { timeZone: tz } = Intl.DateTimeFormat().resolvedOptions();
    const answer = await fetch('/sign-in', { method: 'POST', body: JSON.stringify({ name, tz }) });
    if (answer.ok) onSignIn(await answer.json());
  }
  return (
    <form onSubmit={signIn}>
      <label>
        Your name <input name="name" required maxLength={40} />
      </label>
      <button type="submit">Sign in</button>
    </form>
  );
}

function Lessons() {
  const { record, error } = useRecordEvent('lessons');
  const { toasts, show } = useToasts();

  async function finish(): Promise<void> {
    const answer = await record(1, { expect: { points: { xp: 10 }, extendsStreak: true } });
    // A refused event has no answer, and a held one waits for a review.
    if (answer === null || 'held' in answer) return;
    for (const { name } of answer.achievements) show(`Achievement: ${name}`);
    const level = answer.points.xp?.level;
    if (level) show(`Level: ${level.name}`);
  }

  return (
    <main>
      <h1>Hello {useUser().data?.name}</h1>
      <Flame />
      <LevelBar />
      <button type="button" onClick={finish}>
        Finish a lesson
      </button>
      {error && <p role="alert">{error.message}</p>}
      <Leaderboard />
      <Toasts toasts={toasts} />
    </main>
  );
}

function Flame() {
  const { data: streak } = useStreak();
  if (streak === undefined) return null;
  return (
    <p className={streak.isExtended ? 'flame lit' : 'flame'}>
      <span aria-hidden="true">🔥</span> <output aria-label="Days in a row">{streak.length}</output>
    </p>
  );
}

function LevelBar() {
  const { data: xp } = usePoints('xp');
  if (xp === undefined) return null;
  const from = xp.level?.points ?? 0;
  const to = xp.nextLevel?.points ?? xp.total;
  return (
    <p>
      <span className="level">{xp.level?.name}</span>
      <progress aria-label="Progress to the next level" max={to - from} value={xp.total - from} />
      <output aria-label="XP">{xp.total}</output> XP
    </p>
  );
}

function Leaderboard() {
  const { data: board } = useLeaderboard('all', { limit: 10 });
  const { data: me } = useUser();
  return (
    <section>
      <h2>{board?.name}</h2>
      <ol>
        {board?.rankings.map(({ userId, userName, value }) => (
          <li key={userId} aria-current={userId === me?.id}>
            {userName ?? userId}: {value}
          </li>
        ))}
      </ol>
    </section>
  );
}
