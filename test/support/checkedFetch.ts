/**
 * Whatever a test fetches from laurel, by hand or through the official client, must be as the contract says:
 * a response that departs from it rejects.
 */
const UNDESCRIBED =
  /^\/(|healthz|readyz|metrics|openapi\.json|docs(\/.*)?|console(\/.*)?|mcp|llms\.txt|preferences\/.*)$/;
const fetchUnchecked = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await fetchUnchecked(input, init);
  const request = input instanceof Request ? input : null;
  const { pathname } = new URL(request?.url ?? String(input));
  const method = init?.method ?? request?.method ?? 'GET';
  const hasNoBody = method === 'HEAD' || (method === 'OPTIONS' && response.status === 204);
  const isOfProxy = response.status === 502;
  if (UNDESCRIBED.test(pathname) || hasNoBody || isOfProxy) return response;
  // Loaded when it is needed: many test files fetch nothing.
  const [{ noteCall }, { departure }] = await Promise.all([
    import('./operationCalls.ts'),
    import('./responseCheck.ts'),
  ]);
  noteCall(method, pathname, response.status);
  // Its rows are those of the JSON, which other calls check.
  if (/^text\/csv|^application\/yaml/.test(response.headers.get('content-type') ?? '')) return response;
  const body = await response.clone().json();
  const found = departure(method, pathname, response.status, body);
  if (found !== null) {
    throw new Error(
      `${method} ${pathname} answered ${response.status} against its contract:\n${found}\n${JSON.stringify(body)}`,
    );
  }
  return response;
};
