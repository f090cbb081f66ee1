import { Session, type SessionOptions, Store, subjectOf } from 'laurel-client/store';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';

export interface LaurelProviderProps extends SessionOptions {
  children?: ReactNode;
}

const StoreContext = createContext<Store | null>(null);

/** Gives its components the data of the user whom the token names. Another user gets other data. */
export function LaurelProvider({ url, token, getToken, tenant, children }: LaurelProviderProps) {
  const latest = useRef({ token, getToken });
  const userId = token === undefined ? null : subjectOf(token);
  const hasGetToken = getToken !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new token of the same user keeps the data
  const session = useMemo(
    () =>
      new Session({
        url,
        ...(token !== undefined && { token }),
        ...(hasGetToken && { getToken: () => latest.current.getToken!() }),
        ...(tenant !== undefined && { tenant }),
      }),
    [url, userId, hasGetToken, tenant],
  );
  const store = useMemo(() => new Store(session), [session]);
  useEffect(() => {
    if (token !== undefined && token !== latest.current.token) session.client.setToken(token);
    latest.current = { token, getToken };
  }, [session, token, getToken]);
  useEffect(() => refreshWhenVisible(store), [store]);
  return <StoreContext.Provider value={store}>{children}</StoreContext.Provider>;
}

/** A page that was hidden may show figures of yesterday. */
function refreshWhenVisible(store: Store): () => void {
  const refresh = (): void => {
    if (document.visibilityState === 'visible') void store.refresh();
  };
  if (typeof document === 'undefined') return () => {};
  document.addEventListener('visibilitychange', refresh);
  return () => document.removeEventListener('visibilitychange', refresh);
}

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === null) throw new Error('Hooks of laurel need a LaurelProvider around their component');
  return store;
}
