import { pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = pino.Logger;

/**
 * Short coloured lines on a terminal, else JSON lines on standard output. `role` tells the processes of one installation
 * apart.
 */
export function createLog(role: string, level: string): Log {
  const options = { level, base: { role, pid: process.pid } };
  if (!process.stdout.isTTY) return pino(options);
  const format = {
    ignore: 'pid,role',
    messageFormat: '{role}: {msg}',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  };
  return pino(options, pretty({ ...format, colorize: true, sync: true }));
}
