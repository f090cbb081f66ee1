import type { Env } from './env.ts';
import type { Tracing } from './spans.ts';

/**
 * Nothing is loaded unless the environment asks for traces.
 * @param role of the process, which names its service unless OTEL_SERVICE_NAME does
 * @returns null if nothing is traced
 */
export async function startTracing(
  { traces }: Pick<Env, 'traces'>,
  role: string,
  version: string,
): Promise<Tracing | null> {
  if (traces === null) return null;
  const { openTelemetry } = await import('./openTelemetry.ts');
  return openTelemetry(traces, role, version);
}
