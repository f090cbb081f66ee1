/** Users of the demo configuration who play. The same every time, but for what happens live. */

/** The user who looks at the page. */
export const OWN_USER = 'ada';
const NAMES =
  'Ada Amir Bella Carlos Chiara Dana Diego Elif Emma Farid Freya Hana Ines Jonas Leila Mara Nils Olga Priya Yara'.split(
    ' ',
  );
const CITIES = ['berlin', 'lisbon', 'oslo'];
const SKILLS = ['listening', 'reading', 'speaking', 'writing'];
const DAYS = 21;
const DAY_MS = 86_400_000;
/** Time before now at which the game begins. */
export const WEEKS_MS = DAYS * DAY_MS;
/** The league begins on this day of the game, so its last week is three days old, and the user has a group in it. */
export const LEAGUE_START_MS = 4 * DAY_MS;
const LIVE_MS = 1_500;

const users = NAMES.map((name, at) => ({
  id: name.toLowerCase(),
  name,
  attributes: { city: CITIES[at % CITIES.length] },
}));

/** Some play on most days, some on few. The user of the page misses one day, which a freeze makes good. */
const plays = (at, day) =>
  at === 0 ? day !== DAYS - 3 && day !== DAYS : (at * 5 + day * 7) % 11 < 4 + (at % 6);

function lesson(at, day) {
  const value = 1 + ((at * 3 + day) % 4);
  const attributes = { skill: SKILLS[(at + day) % SKILLS.length] };
  return [
    { key: 'lessons', value, user: users[at], attributes },
    { key: 'words', value: 5 * value, user: { id: users[at].id } },
  ];
}

/** Plays day by day up to now. @param call calls laurel with the admin key */
export async function playWeeks(call, nowMs) {
  for (let day = 0; day <= DAYS; day++) {
    if (day > 0) await call('POST', '/admin/v1/test-clock', { now: new Date(nowMs - (DAYS - day) * DAY_MS) });
    await call(
      'POST',
      '/admin/v1/metrics/events',
      users.flatMap((_, at) => (plays(at, day) ? lesson(at, day) : [])),
    );
  }
}

/** Somebody else than the user of the page completes a lesson. */
export async function playOn(call) {
  await new Promise((resolve) => setTimeout(resolve, LIVE_MS));
  const at = 1 + Math.floor(Math.random() * (users.length - 1));
  const event = { user: users[at], value: 1, attributes: { skill: SKILLS[at % SKILLS.length] } };
  await call('POST', '/v1/metrics/lessons/event', event);
}
