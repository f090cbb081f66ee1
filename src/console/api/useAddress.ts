import { useLocation } from 'preact-iso';
import { addressOf, type Query } from './client.ts';

/**
 * The parameters of the address, and how to change some of them: null and '' remove one. A change keeps what
 * an earlier one has set, even if the screen does not show it yet.
 */
export function useAddress(): { query: Record<string, string>; path: string; change(changed: Query): void } {
  const { query, path, route } = useLocation();
  const change = (changed: Query): void => {
    const current = Object.fromEntries(new URLSearchParams(location.search));
    route(addressOf(path, { ...current, ...changed }), true);
  };
  return { query, path, change };
}
