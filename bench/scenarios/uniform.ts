import { createUsers } from '../load/createUsers.ts';
import { prepareTraffic, uniformUsers } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';

/** Full events of users who exist already and are all equally active. Stores of its own hold these users only. */
const uniform = (users: number, name: string): Scenario => ({
  name: `uniform-${name}`,
  title: `full event, ${users.toLocaleString('en-US')} equally active users`,
  measures: `full events of ${users.toLocaleString('en-US')} users, all equally active, who exist already`,
  group: { name: `uniform-${name}`, servers: 1 },
  isRemote: true,
  setUp: async (target) => {
    const options = { name: `uniform-${name}`, nextUser: uniformUsers(users) };
    const traffic = await target.traffic(options, prepareTraffic);
    await createUsers(target, users);
    return closedLoop(target, traffic);
  },
});

export const uniformScenarios = [uniform(10_000, '10k'), uniform(100_000, '100k'), uniform(1_000_000, '1m')];
