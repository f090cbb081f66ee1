import type { LaurelError } from 'laurel-client';
import type { LaurelProvider } from './provider.ts';

/** What a developer can do about errors of laurel, by their reason or code. Others pass, or say it themselves. */
const ADVICE: Record<string, (provider: LaurelProvider) => string> = {
  network: ({ url }) =>
    `Check that laurel runs at ${url || location.origin} (attribute url), and that its LAUREL_CORS_ORIGINS contains ${location.origin}.`,
  unauthorized: ({ tokenUrl }) =>
    `Check that ${tokenUrl ?? 'getToken'} signs tokens with a secret that is in LAUREL_USER_TOKEN_SECRET of laurel.`,
  forbidden: () => 'Check the scope of the token.',
  notFound: () => 'Correct the attribute, or add the key to the configuration of laurel.',
  unknownUser: () => 'Let your backend create the user before it signs the first token: PUT /v1/users/{id}.',
};
const WARNINGS_MAX = 50;
const warned = new Set<string>();
const advices = new WeakMap<Error, string | null>();

/** Adds what to do about an error; null if it is none for developers. */
export function advised<E extends Error>(error: E, advice: string | null): E {
  advices.set(error, advice);
  return error;
}

/** Warns developers in the console, once for each cause. */
export function warn(cause: string, advice = ''): void {
  const end = /[.?]$/.test(cause) ? '' : '.';
  const text = `laurel: ${cause}${end} ${advice}`.trim();
  if (warned.has(text) || warned.size >= WARNINGS_MAX) return;
  warned.add(text);
  // biome-ignore lint/suspicious/noConsole: it is for developers of the page, who look there
  console.warn(text);
}

export function warnOf(error: Error, provider: LaurelProvider | null): void {
  const { reason, code } = error as Partial<LaurelError>;
  const advice = ADVICE[reason ?? ''] ?? ADVICE[code ?? ''];
  const text = advices.has(error) ? advices.get(error) : provider && advice?.(provider);
  if (typeof text === 'string') warn(error.message, text);
}
