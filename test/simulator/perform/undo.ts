import { counterTotal } from '../../support/modelUser.ts';
import { Excused, type Expected } from '../difference.ts';
import { ANY_ID } from '../expected/changes.ts';
import { type Both, type Performers, REFUSED, userPath } from './both.ts';
import { record } from './events.ts';

const EFFECTS = new Excused('object', 'undo.random.slow compares what is said before with what follows');
const NO_EFFECTS = { leaderboards: [], points: [], achievements: [], challenges: [] };

export const UNDO: Performers<'undo'> = {
  async undo(both, { event }) {
    const { service, model, compare, now } = both;
    const { id } = event.request.user;
    const eventId = await record(both, event);
    if (eventId !== null && !hasGoneBack(both, id)) {
      const path = `/admin${userPath(id)}/events/${eventId}/undo`;
      const undo = () => service.call('POST', path, { reason: 'A test' });
      const { metricId, value } = model.users.get(id)!.events.at(-1)!;
      if (value <= 0) {
        compare(`GET ${path}`, await service.call('GET', path), REFUSED);
        compare(`POST ${path}`, await undo(), REFUSED);
      } else {
        const { key, name } = model.config.metrics.find((metric) => metric.id === metricId)!;
        const timestamp = new Date(now).toISOString();
        const total = (): number => counterTotal(model.users.get(id)!.events, metricId);
        const shown = (effects: Record<string, Expected>, undoneAt: string | null): Expected => ({
          ...{ eventId, metric: { key, name }, value, timestamp, total: total(), ...effects, undoneAt },
        });
        const before = { leaderboards: EFFECTS, points: EFFECTS, achievements: EFFECTS, challenges: EFFECTS };
        compare(`GET ${path}`, await service.call('GET', path), { status: 200, body: shown(before, null) });
        const [answer, again] = [await undo(), await undo()];
        model.undo(id, now);
        const done = { eventId, id: ANY_ID, total: total() };
        compare(`POST ${path}`, answer, { status: 200, body: { ...done, undone: true } });
        compare(`POST ${path}`, again, { status: 200, body: { ...done, undone: false } });
        const after = shown(NO_EFFECTS, timestamp);
        compare(`GET ${path}`, await service.call('GET', path), { status: 200, body: after });
      }
    }
    await both.readUser(id);
  },
};

/**
 * Whether a user has sent an event on an earlier date than one before, by travelling west. The best and latest values
 * of a run may then have been those of a former date.
 */
function hasGoneBack({ model }: Both, userId: string): boolean {
  const dates = model.users.get(userId)!.events.map(({ localDate }) => +localDate);
  return dates.some((date, i) => date < (dates[i - 1] ?? date));
}
