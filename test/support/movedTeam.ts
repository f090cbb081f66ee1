import { achievement, item, items, lessonStreak, perLesson, xp } from './items.ts';
import { Random } from './random.ts';
import { DAY_MS, dayFromStart, START_MS } from './testTime.ts';

/** A team that moves in: members whose events of two years are known, and members with present values only. */

const DAYS = Number(process.env.LAUREL_TEAM_DAYS ?? 730);
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];
/** In all zones, the local day of this hour is that in UTC. */
const HOUR_UTC = 10;

export const TEAM_CONFIG = {
  attributes: { user: items('plan') },
  metrics: items('lessons'),
  streak: lessonStreak({ frequency: 'daily' }),
  achievements: [
    { key: 'first-lesson', name: 'First lesson', trigger: 'metric', metric: 'lessons', metricValue: 1 },
    achievement('hundred', 100),
    item('week', { trigger: 'streak', streakLength: 7 }),
  ],
  points: [xp([perLesson(10)])],
};

const COMPLETED = TEAM_CONFIG.achievements.map(({ key }) => key);

export interface Member {
  id: string;
  name: string;
  tz: string;
  plan: string;
  lessons: number;
  points: number;
  streak: number;
  /** When each achievement was completed. */
  achievements: Record<string, string>;
}

export interface Team {
  /** Members with events. */
  active: ActiveMember[];
  /** Members without. */
  former: Member[];
}

export interface ActiveMember {
  member: Member;
  /** When the member had a lesson, in order; ms. */
  instants: number[];
}

export function createTeam(seed: number, members: number): Team {
  const random = new Random(seed);
  const team: Team = { active: [], former: [] };
  for (let i = 0; i < members; i++) {
    const profile = {
      id: `member-${i}`,
      name: `Member ${i}, "M${i}"`,
      tz: random.pick(ZONES),
      plan: random.pick(['free', 'pro']),
    };
    if (i % 5 === 0) {
      team.former.push(formerMember(random, profile));
      continue;
    }
    const instants = randomInstants(random);
    team.active.push({ member: activeMember(profile, instants), instants });
  }
  return team;
}

type Profile = Pick<Member, 'id' | 'name' | 'tz' | 'plan'>;

function formerMember(random: Random, profile: Profile): Member {
  const lessons = random.int(100, 5_000);
  const streak = random.pick([0, 0, 3, 40]);
  const achievements = {
    'first-lesson': `${dayFromStart(-900)}T12:00:00.000Z`,
    hundred: `${dayFromStart(-random.int(400, 800))}T12:00:00.000Z`,
    ...(streak >= 7 && { week: `${dayFromStart(-34)}T12:00:00.000Z` }),
  };
  return { ...profile, lessons, points: lessons * 12, streak, achievements };
}

/** Lessons in order: of the eager ones nearly daily, of others now and then. */
function randomInstants(random: Random): number[] {
  const share = random.pick([0.05, 0.1, 0.3, 0.9]);
  const instants = [];
  for (let day = -DAYS; day < 0; day++) {
    if (!random.chance(day === -DAYS ? 1 : share)) continue;
    const at = Date.parse(`${dayFromStart(day)}T00:00:00Z`) + HOUR_UTC * 3_600_000 + random.int(0, 3_000_000);
    instants.push(at);
    if (random.chance(0.1)) instants.push(at + 60_000);
  }
  return instants;
}

/** What the events come to, computed plainly. */
function activeMember(profile: Profile, instants: readonly number[]): Member {
  const achievements: Record<string, string> = {};
  let [streak, lastDay] = [0, Number.NaN];
  for (const [i, at] of instants.entries()) {
    const day = Math.floor(at / DAY_MS);
    const reached = [i === 0 && 'first-lesson', i === 99 && 'hundred'];
    if (day !== lastDay) {
      streak = day === lastDay + 1 ? streak + 1 : 1;
      if (streak === 7) reached.push('week');
    }
    lastDay = day;
    for (const key of reached) if (key) achievements[key] ??= new Date(at).toISOString();
  }
  const isAlive = lastDay >= Math.floor(START_MS / DAY_MS) - 1;
  const lessons = instants.length;
  return { ...profile, lessons, points: lessons * 10, streak: isAlive ? streak : 0, achievements };
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Profiles alone, for members whose events are imported. */
export function* profilesCsv(members: readonly ActiveMember[]): Generator<string> {
  yield 'id,name,tz,attributes.plan\n';
  for (const { member } of members) yield `${member.id},${quoted(member.name)},${member.tz},${member.plan}\n`;
}

/** The events of all members, day by day. */
export function* eventsCsv(members: readonly ActiveMember[]): Generator<string> {
  yield 'timestamp,metric,value,user.id,user.tz\n';
  const next = members.map(() => 0);
  for (let day = -DAYS; day < 0; day++) {
    const end = Date.parse(`${dayFromStart(day + 1)}T00:00:00Z`);
    let rows = '';
    for (const [i, { member, instants }] of members.entries()) {
      for (; next[i]! < instants.length && instants[next[i]!]! < end; next[i]!++)
        rows += `${new Date(instants[next[i]!]!).toISOString()},lessons,1,${member.id},${member.tz}\n`;
    }
    yield rows;
  }
}

/** Members as they are. */
export function* presentCsv(members: readonly Member[]): Generator<string> {
  const columns = ['id', 'name', 'tz', 'attributes.plan', 'created', 'metric.lessons', 'points.xp'];
  const streak = ['streak.length', 'streak.lastDate'];
  yield `${[...columns, ...streak, ...COMPLETED.map((key) => `achievement.${key}`)].join(',')}\n`;
  for (const { id, name, tz, plan, lessons, points, streak: length, achievements } of members) {
    const values = [id, quoted(name), tz, plan, dayFromStart(-901), lessons, points];
    const period = length > 0 ? [length, dayFromStart(-1)] : ['', ''];
    yield `${[...values, ...period, ...COMPLETED.map((key) => achievements[key] ?? '')].join(',')}\n`;
  }
}
