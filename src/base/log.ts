import { hostname } from 'node:os';
import { pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = pino.Logger;

/**
 * Writes short coloured lines to a terminal, else JSON lines to standard output. Role, host and process id
 * identify a process of an installation.
 */
export function createLog(role: string, level: string): Log {
  const options = { level, base: { role, host: hostname(), pid: process.pid } };
  if (!process.stdout.isTTY) return pino(options);
  const format = {
    ignore: 'pid,role,host',
    messageFormat: '{role}: {msg}',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  };
  return pino(options, pretty({ ...format, colorize: true, sync: true }));
}
