#!/usr/bin/env node
import { spawnSync } from 'node:child_process';

/**
 * node toHistory.mjs [REPOSITORY] > history.ndjson
 *
 * Prints the commits of a git repository as a history for `npm run replay`. The author is the user, in the
 * time zone of the commit. Each commit is two events: 1 for `commits`, and the number of added and deleted
 * lines for `lines`. Merges are left out.
 */
const DAY_MS = 86_400_000;
/**
 * Days around a commit. If the offset of a place is the same on all of them, it has no daylight saving time.
 */
const SEASONS = [-180, -90, 0, 90, 180];

/** Oldest first by the author's date. Equal dates keep the order of the log. */
function readCommits(repository) {
  const format = '--format=%x1e%H%x1f%aI%x1f%aE%x1f%aN';
  const git = ['-C', repository, 'log', '--reverse', '--no-merges', '--numstat', format];
  const { stdout, stderr, status, error } = spawnSync('git', git, { encoding: 'utf8', maxBuffer: 2 ** 31 });
  if (status !== 0) throw new Error(`git log: ${error?.message ?? stderr}`);
  const commits = stdout.split('\x1e').slice(1).map(parseCommit);
  return commits.sort((a, b) => a.at - b.at);
}

function parseCommit(text) {
  const [head, ...files] = text.split('\n');
  const [sha, timestamp, email, name] = head.split('\x1f');
  // "12\t3\tfile"; "-\t-\tfile" for binary files.
  const counts = files.flatMap((file) => /^(\d+)\t(\d+)\t/.exec(file)?.slice(1) ?? []);
  const lines = counts.reduce((sum, count) => sum + Number(count), 0);
  return { sha, timestamp, at: Date.parse(timestamp), id: (email || name).toLowerCase(), name, lines };
}

/** "+05:30" is 330; "Z" is 0. */
function offsetMinutes(timestamp) {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(timestamp) ?? [null, '+', 0, 0];
  return Number(`${sign}1`) * (60 * Number(hours) + Number(minutes));
}

/** Last time zone found for an offset. */
const zones = new Map();

/** An IANA time zone with the author's offset. Zones with a fixed offset are preferred. */
function zoneOf({ sha, timestamp, at }) {
  const offset = offsetMinutes(timestamp);
  if (offset === 0) return 'UTC';
  const hours = offset / 60;
  // These names have the opposite sign: two hours east of Greenwich is GMT-2.
  if (Number.isInteger(hours) && hours >= -12 && hours <= 14)
    return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
  let zone = zones.get(offset);
  if (zone === undefined || offsetIn(zone, at) !== offset) {
    zone = findPlace(offset, at);
    if (zone === undefined)
      throw new Error(`${sha}: no time zone is ${offset} minutes from UTC at ${timestamp}`);
    zones.set(offset, zone);
  }
  return zone;
}

/**
 * A place with this offset all year (+05:30: Kolkata), else one with it at this time (-02:30: St John's in
 * summer).
 */
function findPlace(offset, at) {
  const places = Intl.supportedValuesOf('timeZone');
  const isSo = (place, day) => offsetIn(place, at + day * DAY_MS) === offset;
  return (
    places.find((place) => SEASONS.every((day) => isSo(place, day))) ?? places.find((place) => isSo(place, 0))
  );
}

function offsetIn(timeZone, instant) {
  const wall = new Date(instant).toLocaleString('sv', { timeZone });
  return Math.round((Date.parse(`${wall.replace(' ', 'T')}Z`) - instant) / 60_000);
}

for (const commit of readCommits(process.argv[2] ?? '.')) {
  const { sha, timestamp, id, name, lines } = commit;
  const user = { id, name, tz: zoneOf(commit) };
  // Idempotency keys are separate for each user and metric.
  const rest = { timestamp, user, idempotencyKey: sha };
  console.log(JSON.stringify({ ...rest, metric: 'commits', value: 1 }));
  console.log(JSON.stringify({ ...rest, metric: 'lines', value: lines }));
}
