import { pino } from 'pino';

export type Log = pino.Logger;

/** JSON lines on standard output. `role` tells the processes of one installation apart. */
export function createLog(role: string, level: string): Log {
  return pino({ level, base: { role, pid: process.pid } });
}
