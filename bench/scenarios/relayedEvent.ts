import type { Scenario } from '../scenario.ts';
import { besideWorker } from './besideWorker.ts';
import { ONE_SERVER } from './requests.ts';

export const relayedEvent: Scenario = {
  name: 'relayed-event',
  title: 'full event with relay and workers',
  measures: 'full events while a worker moves them to PostgreSQL',
  group: ONE_SERVER,
  isRemote: false,
  setUp: besideWorker,
};
