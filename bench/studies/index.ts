import type { Study } from '../study.ts';
import { cluster } from './cluster.ts';
import { consoleScale } from './consoleScale.ts';
import { latency } from './latency.ts';
import { memory } from './memory.ts';
import { relay } from './relay.ts';
import { restoreUsers } from './restore.ts';
import { spread } from './spread.ts';
import { sweep } from './sweep.ts';

export const STUDIES: Study[] = [cluster, consoleScale, latency, memory, relay, restoreUsers, spread, sweep];
