import { hash32 } from './ids.ts';

/** The shard that holds a user. */
export function shardOf(userId: string, shards: number): number {
  return hash32(userId) % shards;
}

/** The numbers of all shards, from 0. */
export function allShards(shards: number): number[] {
  return Array.from({ length: shards }, (_, shard) => shard);
}
