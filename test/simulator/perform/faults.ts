import type { Answer } from '../service.ts';
import type { Performers } from './both.ts';
import { bodyOf, compareRecorded, eventsOf, pathOf } from './events.ts';

/** Nobody notices anything, except that a restore gives the last seats of erased users of a league anew. */
export const FAULTS: Performers<'restore' | 'restart' | 'break'> = {
  restore: async ({ service, model }) => {
    await service.restoreRedis();
    model.restore();
  },

  restart: ({ service }) => service.restart(),

  async break(both, { store, event, ms }) {
    const { service, model, now } = both;
    const { guards } = model.config.metrics.find(({ key }) => key === event.metric)!;
    // Whether the first event or its repetition was held, no answer says.
    if (guards?.action === 'hold') return;
    const send = (): Promise<Answer> => service.call('POST', pathOf(event), bodyOf(event));
    const first = await service.breakStore(store, ms, send);
    const again = await service.untilAvailable(send);
    if (first !== null) compareRecorded(both, event, first);
    else if (again.body?.idempotentReplayed) model.recordAll([eventsOf(model.config, event)], now);
    compareRecorded(both, event, again);
    await both.readUser(event.request.user.id);
  },
};
