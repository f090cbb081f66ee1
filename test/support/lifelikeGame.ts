import { expect } from 'vitest';
import { at } from './consoleGame.ts';
import { Random } from './random.ts';
import type { ServerUnderTest } from './useServer.ts';

/** Learners of the demo who play for eight weeks as people do: some daily, some now and then, some leave. */

const DAYS = 8 * 7;
const NAMES =
  'Ada Amir Anouk Bella Bruno Carlos Chiara Dana Diego Elif Emma Farid Fatou Felix Freya Goran Hana Hugo Ines Ivan Jana Jonas Kaito Karin Lars Leila Lena Luca Mara Marek Mei Milan Nadia Nils Noor Olga Omar Paulo Petra Priya Rafael Rosa Sami Sara Sofia Tariq Tessa Thomas Uma Viktor Wei Yara Yusuf Zoe'.split(
    ' ',
  );
const CITIES = ['berlin', 'lisbon', 'london', 'madrid', 'oslo', 'warsaw'];
const SKILLS = ['listening', 'reading', 'speaking', 'writing'];
const SEED = 20_261_127;

interface Learner {
  id: string;
  name: string;
  attributes: { city: string; plan: string };
  /** Share of the days with lessons. */
  diligence: number;
  firstDay: number;
  lastDay: number;
}

function createLearners(random: Random): Learner[] {
  return NAMES.map((name) => {
    const firstDay = random.chance(0.5) ? 0 : random.int(1, DAYS - 2);
    return {
      id: name.toLowerCase(),
      name,
      attributes: { city: random.pick(CITIES), plan: random.chance(0.3) ? 'premium' : 'free' },
      diligence: random.pick([0.3, 0.55, 0.8, 0.97, 1]),
      firstDay,
      lastDay: random.chance(0.2) ? random.int(firstDay, DAYS) : DAYS,
    };
  });
}

function eventsOf({ id, name, attributes }: Learner, random: Random): object[] {
  const lesson = () => ({
    key: 'lessons',
    value: random.int(1, 3),
    user: { id, name, attributes },
    attributes: { skill: random.pick(SKILLS) },
  });
  const words = { key: 'words', value: random.int(4, 30), user: { id } };
  return random.chance(0.6) ? [lesson(), words] : [lesson()];
}

/** The server needs a relay: the game is in the history afterwards. */
export async function playEightWeeks(server: ServerUnderTest): Promise<void> {
  const random = new Random(SEED);
  const learners = createLearners(random);
  for (let day = 0; day <= DAYS; day++) {
    if (day > 0) await server.moveTo(at(day));
    const events = learners
      .filter(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay)
      .filter(({ diligence }) => random.chance(diligence))
      .flatMap((learner) => eventsOf(learner, random));
    const { status } = await server.call('POST', '/admin/v1/metrics/events', events);
    expect(status).toBe(202);
  }
  await server.relayed();
}
