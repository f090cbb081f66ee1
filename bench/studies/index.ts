import type { Study } from '../study.ts';
import { activation } from './activation.ts';
import { cluster } from './cluster.ts';
import { consoleScale } from './consoleScale.ts';
import { imports } from './imports.ts';
import { latency } from './latency.ts';
import { league } from './league.ts';
import { memory } from './memory.ts';
import { midnight } from './midnight.ts';
import { readMemory } from './readMemory.ts';
import { relay } from './relay.ts';
import { reminders } from './reminders.ts';
import { restoreUsers } from './restore.ts';
import { spread } from './spread.ts';
import { sweep } from './sweep.ts';
import { visitors } from './visitors.ts';
import { workers } from './workers.ts';

export const STUDIES: Study[] = [
  activation,
  cluster,
  consoleScale,
  imports,
  latency,
  league,
  memory,
  midnight,
  readMemory,
  relay,
  reminders,
  restoreUsers,
  spread,
  sweep,
  visitors,
  workers,
];
