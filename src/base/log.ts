import { pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = pino.Logger;

/**
 * Writes short coloured lines to a terminal, else JSON lines to standard output. `role` identifies the process within an
 * installation.
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
