import type { Env } from './env.ts';
import type { Tracing } from './spans.ts';

/** null unless the environment asks for traces, so that nothing else is loaded or done. */
export let tracing: Tracing | null = null;

/** @param role of the process, which names its service unless OTEL_SERVICE_NAME does */
export async function startTracing({ traces }: Pick<Env, 'traces'>, role: string, version: string): Promise<void> {
  if (traces === null) return;
  const { openTelemetry } = await import('./openTelemetry.ts');
  tracing = openTelemetry(traces, role, version);
}

export async function stopTracing(): Promise<void> {
  const stopped = tracing;
  tracing = null;
  await stopped?.stop();
}
