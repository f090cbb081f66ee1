import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom, createZipf, userBody, WORKLOAD } from '../workload.ts';

export const EVENTS_PATH = '/v1/metrics/lessons/event';
export const BATCHES_PATH = '/admin/v1/metrics/events';
/** Stands for a request that records nothing. */
export const NOBODY = -1;

/** Prepared requests. A load sends them in order and repeats them. */
export interface Traffic {
  /** One request per line: method, path, body. */
  file: string;
  /** Number of events in each request that has any. */
  eventsPerRequest: number;
  /** The user of each event of each request, one request after the other; NOBODY for reads. */
  users: Int32Array;
}

export interface TrafficOptions {
  directory: string;
  name: string;
  /** First part of all user ids. */
  prefix: string;
  /** Draws the user of the next request. */
  nextUser: () => number;
  requests?: number;
  /** A path to read instead of an event; null records an event. */
  read?: (i: number, user: number) => string | null;
}

export const userId = (prefix: string, user: number): string => `${prefix}user-${user}`;

/** The draw of all scenarios that do not have one of their own. */
export const zipfUsers = (users = WORKLOAD.users): (() => number) =>
  createZipf(users, createRandom(WORKLOAD.seed));

/** Writes the requests to a file of the directory. */
export async function prepareTraffic(options: TrafficOptions): Promise<Traffic> {
  const { directory, name, prefix, nextUser, requests = WORKLOAD.requests, read = () => null } = options;
  const users = new Int32Array(requests);
  const lines = Array.from({ length: requests }, (_, i) => {
    const user = nextUser();
    const path = read(i, user);
    users[i] = path === null ? user : NOBODY;
    return path === null ? `POST ${EVENTS_PATH} ${JSON.stringify(eventOf(prefix, user))}` : `GET ${path}`;
  });
  const file = join(directory, `${name}.txt`);
  await writeFile(file, `${lines.join('\n')}\n`);
  return { file, eventsPerRequest: 1, users };
}

/** Batches of events of the metric `lessons`. */
export async function prepareBatches(options: TrafficOptions & { eventsPerBatch: number }): Promise<Traffic> {
  const { directory, name, prefix, nextUser, requests = WORKLOAD.requests, eventsPerBatch } = options;
  const users = Int32Array.from({ length: requests }, nextUser);
  const lines: string[] = [];
  for (let from = 0; from < requests; from += eventsPerBatch) {
    lines.push(`POST ${BATCHES_PATH} ${batchBody(prefix, users.subarray(from, from + eventsPerBatch))}`);
  }
  const file = join(directory, `${name}.txt`);
  await writeFile(file, `${lines.join('\n')}\n`);
  return { file, eventsPerRequest: eventsPerBatch, users };
}

/** Body of a batch with one event for each of the users. */
export function batchBody(prefix: string, users: Iterable<number>): string {
  return JSON.stringify(Array.from(users, (user) => ({ key: 'lessons', ...eventOf(prefix, user) })));
}

function eventOf(prefix: string, user: number): object {
  return { user: { ...userBody(user), id: userId(prefix, user) }, value: 1 };
}
