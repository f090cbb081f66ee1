const [WIDTH, HEIGHT] = [100, 28];

/** A small line without axes: how a number came to be. */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const most = Math.max(1, ...values);
  const points = values.map((value, i) => {
    const x = (i / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)} ${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={`M${points.join('L')}`} />
    </svg>
  );
}
