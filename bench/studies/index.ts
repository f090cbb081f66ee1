import type { Study } from '../study.ts';
import { cluster } from './cluster.ts';
import { consoleScale } from './consoleScale.ts';
import { deliveries } from './deliveries.ts';
import { latency } from './latency.ts';
import { memory } from './memory.ts';
import { relay } from './relay.ts';
import { relayCost } from './relayCost.ts';
import { reminders } from './reminders.ts';
import { restoreUsers } from './restore.ts';
import { sweep } from './sweep.ts';
import { tenants } from './tenants.ts';

export const STUDIES: Study[] = [
  cluster,
  consoleScale,
  deliveries,
  latency,
  memory,
  relay,
  relayCost,
  reminders,
  restoreUsers,
  sweep,
  tenants,
];
