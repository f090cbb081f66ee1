import type { Answer } from '../service.ts';
import type { Performers } from './both.ts';
import { bodyOf, compareRepeated, pathOf } from './events.ts';

/** Nobody notices anything, except that a restore gives the last seats of erased users of a league anew. */
export const FAULTS: Performers<'restore' | 'restart' | 'break'> = {
  restore: async ({ service, model }) => {
    await service.restoreRedis();
    model.restore();
  },

  restart: ({ service }) => service.restart(),

  async break(both, { broken, event }) {
    const { service, model } = both;
    const { guards } = model.config.metrics.find(({ key }) => key === event.metric)!;
    // Whether the first event or its repetition was held, no answer says.
    if (guards?.action === 'hold') return;
    const send = (): Promise<Answer> => service.call('POST', pathOf(event), bodyOf(event));
    compareRepeated(both, event, await service.breakPart(broken, send), await service.untilAvailable(send));
    await both.readUser(event.request.user.id);
    // A primary that was replaced while it hung has not heard of it.
    service.goOn();
    await both.readUser(event.request.user.id);
  },
};
