import { t } from '../text/translate.ts';
import { BESIDE_COOKIE, forgetSession, SESSION_OVER, session, tenant } from './session.ts';

/** The one way to the API: paths of the Admin API, or of the Application API if they begin with `/v1/`. */

type QueryValue = string | number | boolean | readonly string[] | null | undefined;
export type Query = Record<string, QueryValue>;

/** A refused or failed call. The message is shown to the user. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const UNREACHABLE = t('Can’t reach laurel. Retrying…');

/** Path and query; parameters without a value are left out, lists are repeated parameters. */
export function addressOf(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue;
    for (const item of Array.isArray(value) ? value : [value]) parameters.append(name, String(item));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

interface CallOptions {
  query?: Query;
  body?: unknown;
  /** Sent as it is, with its content type, instead of JSON. */
  text?: { content: string; type: string };
  accept?: string;
  /** Version that was read: the change is refused with 412 if others have changed it since. */
  etag?: string | null;
  signal?: AbortSignal;
}

/** @throws ApiError */
export async function fetchApi(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { query, body, text, accept, etag, signal } = options;
  const sessionId = session.value?.id;
  if (sessionId === undefined) throw new ApiError(401, t('Sign in first.'));
  const content = text?.content ?? (body === undefined ? undefined : JSON.stringify(body));
  const address = path.startsWith('/v1/') ? path : `/admin/v1${path}`;
  const response = await fetch(addressOf(address, query), {
    method,
    headers: {
      ...BESIDE_COOKIE,
      ...(tenant.value !== null && { 'Tenant-ID': encodeURIComponent(tenant.value) }),
      ...(content !== undefined && { 'Content-Type': text?.type ?? 'application/json' }),
      ...(accept && { Accept: accept }),
      ...(etag && { 'If-Match': etag }),
    },
    ...(content !== undefined && { body: content }),
    signal,
  }).catch(() => {
    throw new ApiError(0, UNREACHABLE);
  });
  if (response.ok) return response;
  const message = await response.json().then(
    ({ error }) => error as string,
    () => t('laurel responded with status {status}.', { status: response.status }),
  );
  // A late answer is not about a session that was opened meanwhile.
  if (response.status === 401 && session.value?.id === sessionId) forgetSession(SESSION_OVER);
  throw new ApiError(response.status, message);
}

/** @throws ApiError */
export async function callApi<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  return (await fetchApi(method, path, options)).json();
}

/** A value with the tag of the version of the configuration. */
export interface Versioned<T> {
  value: T;
  etag: string | null;
}

/** The same with the version. @throws ApiError */
export async function callForVersion<T>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Versioned<T>> {
  const response = await fetchApi(method, path, options);
  return { value: await response.json(), etag: response.headers.get('etag') };
}

interface Issue {
  severity: 'error' | 'warning';
  message: string;
}

/** A call that reports refused items in `issues`. @throws ApiError if an item is refused */
export async function callForItems<T extends { issues: Issue[] } = { issues: Issue[] }>(
  method: string,
  path: string,
  options: CallOptions,
): Promise<T> {
  const answer = await callApi<T>(method, path, options);
  const errors = answer.issues.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new ApiError(422, errors.map(({ message }) => message).join('; '));
  return answer;
}

/** Saves text as a file of the user. */
export function saveFile(name: string, content: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
