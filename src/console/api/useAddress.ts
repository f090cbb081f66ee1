import { useLocation } from 'preact-iso';
import { addressOf, type Query } from './client.ts';

/** The parameters of the address, and how to change some of them: null and '' remove one. */
export function useAddress(): { query: Record<string, string>; path: string; change(changed: Query): void } {
  const { query, path, route } = useLocation();
  return { query, path, change: (changed) => route(addressOf(path, { ...query, ...changed }), true) };
}
