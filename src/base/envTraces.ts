import { oneOf, type Variables } from './envValues.ts';

/* Variables of the receiver of traces. */

/** How requests are chosen to be traced. */
export interface Traces {
  sampler: string;
  /** Share of the traces that begin here, 0 to 1, for the samplers by ratio. */
  ratio: number;
}

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

export const SAMPLER = oneOf(
  'OTEL_TRACES_SAMPLER',
  'parentbased_always_on',
  SAMPLERS,
  'which requests are traced, such as `parentbased_traceidratio`',
);

/** Traces are sent if their receiver is known. */
export function traces(source: Variables): Traces | null {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    OTEL_SDK_DISABLED,
    OTEL_TRACES_EXPORTER,
  } = source;
  const sampler = SAMPLER.read(source);
  const ratio = Number(source.OTEL_TRACES_SAMPLER_ARG || 1);
  if (!(ratio >= 0 && ratio <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  const isOff = OTEL_SDK_DISABLED === 'true' || OTEL_TRACES_EXPORTER === 'none';
  return isOff || !(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
    ? null
    : { sampler, ratio };
}
