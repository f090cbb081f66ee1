#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';

/**
 * LAUREL_ADMIN_KEY=… node check.mjs [REPOSITORY] [URL] [--imported]
 *
 * Computes from `git log` alone what laurel must answer after the replay of this repository, and compares:
 * totals and points of each author, achievements with their instants, the daily streak with its history, and
 * every ranking. It shares no code with laurel.
 *
 * With --imported, the history was imported: time has gone on since the last commit, runs that are over have
 * no rankings, and authors with equal values rank in any order.
 */
const options = process.argv.slice(2);
const isImported = options.includes('--imported');
const [repository = '.', url = 'http://localhost:3000'] = options.filter((option) => option !== '--imported');
const DAY_S = 86_400;
const HISTORY_DAYS = 400;
const RANKS_MAX = 1_000;

/** Commits, oldest first, with the day and the month of the author's date. */
function readCommits() {
  const format = '--format=commit %at %ad %aE%x09%aN';
  const git = ['log', '--reverse', '--no-merges', '--numstat', '--date=format:%Y-%m-%d %z', format];
  const { stdout, stderr, status } = spawnSync('git', git, {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 2 ** 31,
  });
  if (status !== 0) throw new Error(stderr);
  const commits = [];
  for (const line of stdout.split('\n')) {
    const head = /^commit (\d+) (\S+) ([+-])(\d\d)(\d\d) (.*)\t(.*)$/.exec(line);
    if (head) {
      const [, at, date, sign, hours, minutes, email, name] = head;
      const offset = Number(`${sign}1`) * (3600 * Number(hours) + 60 * Number(minutes));
      const day = Date.parse(date) / DAY_S / 1000;
      commits.push({
        at: Number(at),
        day,
        month: date.slice(0, 7),
        offset,
        author: (email || name).toLowerCase(),
        lines: 0,
      });
    } else if (/^\d+\t\d+\t/.test(line)) {
      const [added, deleted] = line.split('\t');
      commits.at(-1).lines += Number(added) + Number(deleted);
    }
  }
  return commits.sort((a, b) => a.at - b.at);
}

/** End of a day (seconds since 1970) at an offset in seconds east of Greenwich. */
const endOf = (day, offset) => (day + 1) * DAY_S - offset;

/**
 * A streak lasts until the end of the day after its last day, in the westernmost zone that the author has
 * been in since. A day counts once, even for an author who travels west.
 */
function extendStreak(author, { at, day, offset }) {
  if (at >= author.over) author.streak = 0;
  if (author.streak > 0) author.over = Math.max(author.over, endOf(author.lastDay + 1, offset));
  if (day <= author.lastDay) return;
  author.streak++;
  author.lastDay = day;
  author.over = endOf(day + 1, offset);
  if (author.streak % 7 === 0) author.xp += 50;
  if (author.streak === 7) author.achievements.week ??= at;
  author.streakOn.set(day, author.streak);
}

/** A ranking. Equal values rank in the order in which they were reached. */
class Board {
  #scores = new Map();

  add(author, value) {
    if (value === 0) return;
    const score = (this.#scores.get(author) ?? 0) + value;
    this.#scores.delete(author);
    this.#scores.set(author, score);
  }

  rankings() {
    return [...this.#scores].sort(([, a], [, b]) => b - a).slice(0, RANKS_MAX);
  }
}

function reckon(commits) {
  const authors = new Map();
  const months = new Map();
  const allTime = new Board();
  for (const commit of commits) {
    const { author: id, month, lines } = commit;
    const author = authors.get(id) ?? {
      commits: 0,
      lines: 0,
      xp: 0,
      streak: 0,
      lastDay: -1,
      over: 0,
      streakOn: new Map(),
      achievements: { 'first-commit': commit.at },
      month,
    };
    authors.set(id, author);
    author.commits++;
    if (author.commits === 100) author.achievements['commits-100'] = commit.at;
    author.xp += 10;
    author.lines += lines;
    extendStreak(author, commit);
    // An author who travels west at the start of a month stays in the new month.
    if (month > author.month) author.month = month;
    if (!months.has(author.month)) months.set(author.month, new Board());
    months.get(author.month).add(id, lines);
    allTime.add(id, 1);
  }
  return { authors, months, allTime };
}

async function get(path) {
  const response = await fetch(`${url}/v1${path}`, {
    headers: { 'X-API-KEY': process.env.LAUREL_ADMIN_KEY },
  });
  if (response.status === 503)
    return new Promise((resolve) => setTimeout(resolve, 500)).then(() => get(path));
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

let [compared, differences] = [0, 0];
function compare(what, answered, expected) {
  compared++;
  if (isDeepStrictEqual(answered, expected)) return;
  differences++;
  console.log(`${what}\n  laurel: ${JSON.stringify(answered)}\n  git:    ${JSON.stringify(expected)}`);
}

const dateOf = (day) => new Date(day * DAY_S * 1000).toISOString().slice(0, 10);

const instantOf = (seconds) => new Date(seconds * 1000).toISOString();

async function compareAuthor(id, author, now) {
  const path = `/users/${encodeURIComponent(id)}`;
  for (const metric of ['commits', 'lines']) {
    compare(`${metric} of ${id}`, (await get(`${path}/metrics/${metric}`)).current, author[metric]);
  }
  compare(`XP of ${id}`, (await get(`${path}/points/xp`)).total, author.xp);
  const completed = (await get(`${path}/achievements`)).map(({ key, achievedAt }) => [key, achievedAt]);
  const reached = Object.entries(author.achievements).map(([key, at]) => [key, instantOf(at)]);
  compare(`achievements of ${id}`, completed.sort(), reached.sort());
  const { length, streakHistory } = await get(`${path}/streak?historyPeriods=${HISTORY_DAYS}`);
  compare(`streak of ${id}`, length, now < author.over ? author.streak : 0);
  const answered = streakHistory
    .filter((period) => period.length > 0)
    .map((period) => [period.periodStart, period.length]);
  const expected = [...author.streakOn].map(([day, streak]) => [dateOf(day), streak]);
  const { periodStart } = streakHistory[0];
  compare(
    `streak history of ${id}`,
    answered,
    expected.filter(([date]) => date >= periodStart),
  );
}

/** Orders equal values by author, and leaves out the last value, of which only some authors may have a rank. */
function orderTies(list) {
  list.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  if (list.length === RANKS_MAX) list.splice(list.findIndex(([, value]) => value === list.at(-1)[1]));
}

async function compareBoard(key, run, board) {
  const { rankings } = await get(`/leaderboards/${key}?limit=1000${run && `&run=${run}`}`);
  const answered = rankings.map(({ userId, value }) => [userId, value]);
  const expected = board.rankings();
  if (isImported) for (const list of [answered, expected]) orderTies(list);
  compare(`${key} ${run}`, answered, expected);
}

const commits = readCommits();
const { authors, months, allTime } = reckon(commits);
const now = isImported ? Date.now() / 1000 : commits.at(-1).at;
for (const [id, author] of authors) await compareAuthor(id, author, now);
if (!isImported) for (const [month, board] of months) await compareBoard('month', `${month}-01`, board);
await compareBoard('all-time', '', allTime);
console.log(
  `${commits.length} commits of ${authors.size} authors in ${months.size} months: ${compared} answers compared, ${differences} differ`,
);
process.exitCode = differences > 0 ? 1 : 0;
