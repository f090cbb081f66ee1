import { TrophyApiClient } from '@trophyso/node';

const apiKey = process.env.LAUREL_KEY;
if (!apiKey) throw new Error('Set LAUREL_KEY to the key that npm start printed.');

const laurel = new TrophyApiClient({
  apiKey,
  environment: { api: 'http://localhost:3000/v1', admin: 'http://localhost:3000/admin/v1' },
});

const event = await laurel.metrics.event('lessons', {
  user: { id: 'ada', tz: 'Europe/Berlin' },
  value: 1,
  idempotencyKey: 'lesson-4711',
});

console.log(`${event.total} lessons`);
for (const achievement of event.achievements) console.log(`completed: ${achievement.name}`);
console.log(`streak of ${event.currentStreak.length}, extended: ${event.currentStreak.extended}`);
for (const [key, { added, total }] of Object.entries(event.points))
  console.log(`${key}: +${added}, now ${total}`);
for (const [key, { rank }] of Object.entries(event.leaderboards)) console.log(`${key}: rank ${rank}`);
