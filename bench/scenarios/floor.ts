import { Ledger } from '../load/ledger.ts';
import { runLoad } from '../load/wrk.ts';
import { FLOOR, type Scenario } from '../scenario.ts';
import { countUnits } from './closedLoop.ts';
import { ONE_SERVER, usualEvents } from './requests.ts';

export const floor: Scenario = {
  name: FLOOR,
  title: 'floor: one INCR',
  measures: 'a uWebSockets.js route that reads the JSON body and calls a script with a single `INCR`',
  group: ONE_SERVER,
  isRemote: false,
  setUp: async (target) => {
    const traffic = await usualEvents(target);
    const { redis, startProgram } = target.bench;
    const server = await startProgram('floorServer.js');
    const ledger = new Ledger(target.prefix);
    return {
      processes: () => ({ server: [server.pid] }),
      run: async () => {
        const { sent, ...result } = await runLoad({ urls: [server.url], traffic });
        ledger.add(traffic, sent);
        return { units: countUnits(sent, traffic), ...result };
      },
      check: () => ledger.check(async (id) => Number(await redis.get(`floor:${id}`))),
      close: () => server.stop(),
    };
  },
};
